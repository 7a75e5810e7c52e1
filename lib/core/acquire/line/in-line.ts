import type { Grant } from '../../port/claim.js';
import { WAITER_HEARTBEAT } from '../../port/hand-off.js';
import type { AcquireAnswer } from '../../port/lock-node.js';
import { noteLate } from '../../quorum/fencing-agreement.js';
import type { NodePool } from '../../quorum/node-pool.js';
import type { Denied, TokenPending } from '../../quorum/outcome.js';
import type { Decision } from '../../quorum/quorum-call.js';
import type { Moment } from '../../time/clock.js';
import { requestError, type InLineListener, type AcquireRequest, type Acquired } from '../polling.js';
import { retryDelay } from '../retry.js';
import { Round } from '../round.js';
import { ClaimInLine, type Candidate } from './claim-in-line.js';
import { LineWait } from './line-wait.js';

/** The outcome of a round. It is a promise if the round was lost and more answers are needed to tell the reason. */
type Heard = Acquired | TokenPending | Denied | Promise<Denied>;

/**
 * Acquires one resource in line: it enters the lines of all nodes, waits for grants, and asks again if no grants come.
 *
 *     asks ──quorum──▶ has it ◀──agreed── waits for a token ◀──quorum──┐
 *      ▲ └──denied──▶ gives too few votes away ──▶ waits for grants ───┤
 *      └──────────────────────── time to ask again ◀───────────────────┘
 *
 * What comes from the nodes meanwhile goes to a `LineWait`, which ends the waits.
 */
export class InLineAcquisition implements Candidate {
  #inLine: ClaimInLine;
  /** Created by the first event that the first round does not settle, which most acquisitions never see. */
  #wait: LineWait | undefined;

  constructor(
    private readonly pool: NodePool,
    private readonly request: AcquireRequest,
    readonly listener: InLineListener,
  ) {
    this.#inLine = new ClaimInLine(pool, request, this);
  }

  /**
   * Acquires the resource; its lease counts from `now` if the first round wins it. If the time, the retry count or an abort ends that, it
   * releases the claim on all nodes and rejects.
   */
  run(now: Moment): Promise<Acquired> {
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

  /** A grant counts unless a command is on its way to the node that may give the vote away again. */
  granted(node: string, grant: Grant): void {
    const nodeIndex = this.pool.nodeIndexOf(node);
    if (!this.#inLine.claim.isDoubtful(nodeIndex)) this.#waiting.granted(nodeIndex, grant);
  }

  async #goOn(first: Heard): Promise<Acquired> {
    try {
      return await this.#untilWon(first);
    } catch (error) {
      this.pool.release(this.#inLine.claim, this.request.terms.ttl);
      this.listener.gaveUp();
      throw error;
    } finally {
      this.#leave();
    }
  }

  async #untilWon(first: Heard): Promise<Acquired> {
    const { budget, terms } = this.request;
    const wait = this.#waiting;
    let outcome = await (first instanceof Promise ? first : wait.settled(first));
    for (let attempts = 1; ;) {
      budget.throwIfAborted();
      // A grant may have arrived right after the last answer.
      if (outcome.kind !== 'won') outcome = await wait.settled(wait.found(outcome) ?? outcome);
      if (outcome.kind === 'won') return { ...outcome, attempts };
      this.listener.denied(outcome);
      this.request.onDenied(outcome);
      const remaining = budget.remainingAfter(outcome, attempts);
      if (remaining <= 0) throw requestError(outcome, this.request);
      wait.denied(outcome);
      await wait.forVotes(Math.min(remaining, WAITER_HEARTBEAT, retryDelay(terms, this.pool.random)));
      const found = wait.found(outcome);
      if (found === undefined) attempts += 1;
      outcome = await wait.settled(found ?? (await this.#askAgain(outcome)));
    }
  }

  /** Asks all nodes again. If the caller's time cuts the round short, it may return the outcome `before`, which tells more about the obstacle. */
  async #askAgain(before: Denied): Promise<Acquired | Denied | TokenPending> {
    const inLine = this.#inLine;
    this.#inLine = inLine.next();
    const round = this.#ask(this.#inLine !== inLine, this.pool.clock.now());
    const decision = await new Promise<Decision>((resolve) => round.whenDecided(resolve));
    const outcome = this.#outcomeOf(round, decision);
    if (outcome instanceof Promise) return outcome;
    return round.call.isCutShort && (outcome.kind === 'unavailable' || outcome.kind === 'quarantined')
      ? before
      : outcome;
  }

  /** Asks all nodes; `isFirst` is true if none of them was asked for the claim before. */
  #ask(isFirst: boolean, now: Moment): Round {
    this.#wait?.asked(this.#inLine);
    const { claim } = this.#inLine;
    const late = (nodeIndex: number, answer: AcquireAnswer): void => {
      if (!this.#inLine.place.isWaiting || claim !== this.#inLine.claim) return noteLate(claim, answer);
      // Late answers come after the decision, so `round` is there.
      this.#waiting.answeredLate(nodeIndex, answer, round.validity);
    };
    const round = new Round(this.pool, this.request, { claim, now, isFirst, late });
    return round;
  }

  /** Returns the outcome of a round: usually its votes alone give the lock. */
  #outcomeOf(round: Round, decision: Decision): Heard {
    const clear = round.outcome(decision);
    if (clear) return clear.kind === 'won' ? { ...clear, attempts: 1 } : clear;
    return this.#waiting.decided(round);
  }

  get #waiting(): LineWait {
    return (this.#wait ??= new LineWait(this.pool, this.request, this.#inLine));
  }

  #leave(): void {
    this.#inLine.place.leave();
    this.#wait?.over();
  }
}
