import type { Grant } from '../../port/claim.js';
import { TOKENS_PER_VOTE } from '../../port/fencing.js';
import type { AcquireAnswer } from '../../port/lock-node.js';
import { noteLate } from '../../quorum/fencing-agreement.js';
import type { NodePool } from '../../quorum/node-pool.js';
import type { Denied, TokenPending, Won } from '../../quorum/outcome/outcome.js';
import type { Decision } from '../../quorum/quorum-call.js';
import type { Moment } from '../../time/clock.js';
import { acquiredOf, requestError, type AcquireRequest, type Acquired } from '../request.js';
import { askAgainIn } from '../retry.js';
import { Round } from '../round.js';
import { ClaimInLine, type Waiter } from './claim-in-line.js';
import { LineWait } from './line-wait.js';

/** The outcome of a round. It is a promise if the round was denied and more answers are needed to tell the reason. */
type RoundOutcome = Won | TokenPending | Denied | Promise<Denied>;

/** The callers of this process that want the same resource, as the acquisition of the first of them sees them. */
export interface CallersBehind {
  /** Whether another caller has ever waited behind the first one, so that the lock may pass to it. */
  readonly hasEverQueued: boolean;
  /** Called each time the resource is denied. */
  report(outcome: Denied): void;
  /** Starts the turn of the next caller, because this one gave up. */
  next(): void;
}

/**
 * Acquires one resource in line: it enters the lines of all nodes, waits for grants, and asks again if no grants come.
 *
 * In order: `run` asks all nodes (`#ask`), and usually that is all. Otherwise `#goOn` repeats in `#untilWon` until the caller has the lock: look at
 * the votes, report the denial, wait for grants, and ask again (`#askAgain`). What comes from the nodes meanwhile goes to a `LineWait`, which
 * counts it and ends the waits.
 */
export class InLineAcquisition implements Waiter {
  #inLine: ClaimInLine;
  /** Created by the first event that the first round does not settle, which most acquisitions never see. */
  #lineWait: LineWait | undefined;

  constructor(
    private readonly pool: NodePool,
    private readonly request: AcquireRequest,
    private readonly queue: CallersBehind,
  ) {
    this.#inLine = new ClaimInLine(pool, request, this);
  }

  /** A part of a lock on several resources does not pass on, and so needs one token only. */
  get tokens(): number {
    return this.queue.hasEverQueued && this.request.value === undefined ? TOKENS_PER_VOTE : 1;
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
        this.#stopWaiting();
        resolve(acquiredOf(outcome, 1));
      });
    });
  }

  /** Asks all nodes; `isFirst` is true if none of them was asked for the claim before. */
  #ask(isFirst: boolean, now: Moment): Round {
    this.#lineWait?.aboutToAsk(this.#inLine);
    const { claim } = this.#inLine;
    const late = (nodeIndex: number, answer: AcquireAnswer): void => {
      if (!this.#inLine.place.isWaiting || claim !== this.#inLine.claim) return noteLate(claim, answer);
      // Late answers come after the decision, so `round` is there.
      this.#lineWaitOrNew.answeredLate(nodeIndex, answer, round.validity);
    };
    const round = Round.ask(this.pool, this.request, { claim, now, isFirst, late });
    return round;
  }

  /** Returns the outcome of a round: usually its votes alone give the lock. */
  #outcomeOf(round: Round, decision: Decision): RoundOutcome {
    return round.outcome(decision, this.pool.clock) ?? this.#lineWaitOrNew.decided(round);
  }

  async #goOn(first: RoundOutcome): Promise<Acquired> {
    try {
      return await this.#untilWon(first);
    } catch (error) {
      this.pool.release(this.#inLine.claim, this.request.terms.ttl);
      this.queue.next();
      throw error;
    } finally {
      this.#stopWaiting();
    }
  }

  async #untilWon(first: RoundOutcome): Promise<Acquired> {
    const { budget, terms } = this.request;
    const wait = this.#lineWaitOrNew;
    let outcome = await (first instanceof Promise ? first : wait.withToken(first));
    for (let attempts = 1; ;) {
      budget.throwIfAborted();
      // A grant may have arrived right after the last answer.
      if (outcome.kind !== 'won') outcome = await wait.lockOr(outcome);
      if (outcome.kind === 'won') return acquiredOf(outcome, attempts);
      this.request.report(outcome);
      this.queue.report(outcome);
      const remaining = budget.remainingAfter(outcome, attempts);
      if (remaining <= 0) throw requestError(outcome, this.request);
      wait.giveWayIfStuck(outcome);
      await wait.forVotes(askAgainIn(remaining, terms, this.pool.random));
      const granted = wait.lockFromVotes(outcome);
      if (granted === undefined) attempts += 1;
      outcome = await wait.withToken(granted ?? (await this.#askAgain(outcome)));
    }
  }

  /** Asks all nodes again. If the caller's time cuts the round short, it may return the outcome `before`, which tells more about the obstacle. */
  async #askAgain(before: Denied): Promise<Won | Denied | TokenPending> {
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

  /** A grant counts unless a command is on its way to the node that may give the vote away again. */
  granted(node: string, grant: Grant): void {
    const nodeIndex = this.pool.nodeIndexOf(node);
    if (!this.#inLine.claim.isDoubtfulAt(nodeIndex)) this.#lineWaitOrNew.granted(nodeIndex, grant);
  }

  /** Drops the vote that was counted earlier: it is the one that goes back, or that came with a clock which was off. */
  doubted(nodeIndex: number): void {
    this.#inLine.votes.drop(nodeIndex);
  }

  get #lineWaitOrNew(): LineWait {
    return (this.#lineWait ??= new LineWait(this.pool, this.request, this.#inLine));
  }

  #stopWaiting(): void {
    this.#inLine.place.stopWaiting();
    this.#lineWait?.stopGrantTimer();
  }
}
