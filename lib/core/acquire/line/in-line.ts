import type { Decision } from '../../quorum/quorum-call.js';
import { LineTicket, type Candidate } from './line-ticket.js';
import type { Grant } from '../../port/claim.js';
import type { Moment } from '../../time/clock.js';
import { requestError, type InLineListener, type AcquireRequest, type Acquired } from '../polling.js';
import { LEAST_SHARE_LEFT, WAITER_HEARTBEAT } from '../../port/hand-off.js';
import { SplitVote } from './split-vote.js';
import type { AcquireAnswer } from '../../port/lock-node.js';
import type { NodePool } from '../../quorum/node-pool.js';
import { reasonInTime } from '../../quorum/in-time.js';
import type { Denied, TokenPending } from '../../quorum/outcome.js';
import { retryDelay } from '../retry.js';
import type { Surrender } from './yielding.js';
import { noteLate, settleByVotes } from '../../quorum/fencing-agreement.js';
import { Round, untilAgreed } from '../round.js';
import type { Validity } from '../../time/validity.js';

/** The outcome of a round. It is a promise if the round was lost and more answers are needed to tell the reason. */
type Heard = Acquired | TokenPending | Denied | Promise<Denied>;

/** Acquires one resource in line: it enters the lines of all nodes, waits for grants, and asks again if no grants come. */
export class InLineAcquisition implements Candidate {
  #lineTicket: LineTicket;
  #over = false;
  #inVain: Surrender | undefined; // set once the latest round is lost
  #splitVote: SplitVote | undefined;
  #wake: (() => void) | undefined;
  #stopHurry: (() => void) | undefined;

  constructor(
    private readonly pool: NodePool,
    private readonly request: AcquireRequest,
    readonly listener: InLineListener,
  ) {
    this.#lineTicket = new LineTicket(pool, request, this);
  }

  /** Acquires the resource. If the time, the retry count or an abort ends that, it releases the claim on all nodes and rejects. */
  run(now?: Moment): Promise<Acquired> {
    return new Promise((resolve, reject) => {
      const round = this.#ask(true, now);
      round.whenDecided((decision) => {
        const outcome = this.#outcomeOf(round, decision);
        if (outcome instanceof Promise || outcome.kind !== 'won' || this.request.budget.aborted) {
          this.#goOn(outcome).then(resolve, reject);
          return;
        }
        this.#leave();
        resolve(outcome);
      });
    });
  }

  granted(node: string, grant: Grant): void {
    const nodeIndex = this.pool.nodeIndexOf(node);
    if (this.#lineTicket.claim.isDoubtful(nodeIndex)) return;
    this.#lineTicket.grant(nodeIndex, grant);
    this.#hurry();
    this.#wakeIfWon();
  }

  async #goOn(first: Heard): Promise<Acquired> {
    try {
      return await this.#untilWon(first);
    } catch (error) {
      this.pool.release(this.#lineTicket.claim, this.request.terms.ttl);
      this.listener.gaveUp();
      throw error;
    } finally {
      this.#leave();
    }
  }

  async #untilWon(first: Heard): Promise<Acquired> {
    const { budget, terms } = this.request;
    const splitVote = (this.#splitVote = new SplitVote(this.pool));
    let outcome = await (first instanceof Promise ? first : this.#settled(first));
    for (let attempts = 1; ;) {
      budget.throwIfAborted();
      // A grant may have arrived right after the last answer.
      if (outcome.kind !== 'won') outcome = await this.#settled(this.#found(outcome) ?? outcome);
      if (outcome.kind === 'won') return { ...outcome, attempts };
      this.listener.lost(outcome);
      this.request.onLost(outcome);
      const remaining = budget.remainingAfter(outcome, attempts);
      if (remaining <= 0) throw requestError(outcome, this.request);
      if (splitVote.endsAfter(outcome)) this.#surrender().giveWay();
      const delay = Math.min(remaining, WAITER_HEARTBEAT, retryDelay(terms, this.pool.random));
      await budget.pause(delay, (wake) => (this.#wake = wake));
      const found = this.#found(outcome);
      if (found === undefined) attempts += 1;
      outcome = await this.#settled(found ?? (await this.#round(outcome)));
    }
  }

  #leave(): void {
    this.#over = true;
    // Without a wake function, later votes change neither the token nor anything else of what was won.
    this.#wake = undefined;
    this.#lineTicket.place.leave();
    this.#stopHurry?.();
  }

  /** Waits until the votes agree on a token, but no longer than the node timeout and the caller's time allow. */
  async #settled(outcome: Acquired | Denied | TokenPending): Promise<Acquired | Denied> {
    if (outcome.kind !== 'unsettled') return outcome;
    const { pool, request } = this;
    const { claim, votes } = this.#lineTicket;
    await untilAgreed(
      pool,
      { ...request, claim },
      {
        votes,
        awaited: outcome.awaited,
        agreed: () => this.#won() !== undefined,
        onVote: (check) => (this.#wake = check),
        changed: () => this.#wakeIfWon(),
      },
    );
    return this.#won() ?? { kind: 'no token', nodes: votes.outcomes(pool.nodes) };
  }

  /** Asks all nodes again. If the caller's time cuts the round short, it may return the outcome `before`, which tells more about the obstacle. */
  async #round(before: Denied): Promise<Acquired | Denied | TokenPending> {
    const ticket = this.#lineTicket;
    this.#lineTicket = ticket.next();
    const round = this.#ask(this.#lineTicket !== ticket);
    const decision = await new Promise<Decision>((resolve) => round.whenDecided(resolve));
    const outcome = this.#outcomeOf(round, decision);
    if (outcome instanceof Promise) return outcome;
    return round.call.isCutShort && (outcome.kind === 'unavailable' || outcome.kind === 'quarantined')
      ? before
      : outcome;
  }

  /** Asks all nodes; `isFirst` is true if none of them was asked for the claim before. */
  #ask(isFirst: boolean, now = this.pool.clock.now()): Round {
    this.#lineTicket.votes.beginRound();
    this.#stopHurry?.();
    this.#wake = this.#inVain = this.#stopHurry = undefined;
    const { claim } = this.#lineTicket;
    const late = (nodeIndex: number, answer: AcquireAnswer): void => {
      if (this.#over || claim !== this.#lineTicket.claim) return noteLate(claim, answer);
      this.#note(nodeIndex, answer, round.validity);
      this.#inVain?.yieldLate(nodeIndex, answer);
    };
    const round = new Round(this.pool, this.request, { claim, now, isFirst, late });
    return round;
  }

  /** Returns the outcome of a round. Votes of this round count together with the grants that came while the caller waited. */
  #outcomeOf(round: Round, decision: Decision): Heard {
    const clear = round.outcome(decision);
    if (clear) return clear.kind === 'won' ? { ...clear, attempts: 1 } : clear;
    const { answers } = round.call;
    answers.forEach((answer, nodeIndex) => answer && this.#note(nodeIndex, answer, round.validity));
    const won = this.#standing(answers.includes(undefined));
    if (!won) (this.#inVain = this.#surrender()).yieldVotes(answers);
    return won ?? reasonInTime(round.call, this.request.budget);
  }

  #note(nodeIndex: number, answer: AcquireAnswer, validity: Validity): void {
    this.#lineTicket.note(nodeIndex, answer, validity);
    this.#splitVote?.heard(nodeIndex, answer, validity.since);
    this.#wakeIfWon();
  }

  /** Limits the wait for further grants to the node timeout. Grants of one release arrive together, and only asking tells why some are missing. */
  #hurry(): void {
    this.#stopHurry ??= this.pool.clock.schedule(this.pool.timeoutFor(this.request.terms.ttl), () => this.#wake?.());
  }

  #wakeIfWon(): void {
    if (this.#wake && this.#lineTicket.votes.quorum(this.pool.clock)) this.#wake();
  }

  /** Returns what the votes amount to now; undefined means that the nodes have to be asked again. After `no token` only a won lock counts. */
  #found({ kind }: Denied): Acquired | TokenPending | undefined {
    return kind === 'no token' ? this.#won() : this.#standing();
  }

  #won(): Acquired | undefined {
    const standing = this.#standing();
    return standing?.kind === 'won' ? standing : undefined;
  }

  /** Returns the lock, or a pending token, if the votes of all rounds make a quorum with nearly a whole lease; undefined means to ask again. */
  #standing(awaited = true): Acquired | TokenPending | undefined {
    const { claim, votes } = this.#lineTicket;
    const validity = votes.quorum(this.pool.clock);
    if (!validity || validity.remaining(this.pool.clock) < validity.length * LEAST_SHARE_LEFT) return undefined;
    if (!settleByVotes(claim, votes, this.pool.clock)) return { kind: 'unsettled', awaited };
    return { kind: 'won', claim, validity, attempts: 1 };
  }

  #surrender(): Surrender {
    return this.#lineTicket.surrender(() => this.#wakeIfWon());
  }
}
