import { lockOf, startRound } from './single-round.js';
import type { Moment } from '../time/clock.js';
import type { LeaseTerms } from '../time/validity.js';
import { ValueInDoubt } from './line/claim-in-line.js';
import { singleRoundUnlessAborted } from './polling.js';
import { acquiredOf, requestError, type AcquireRequest, type Acquired } from './request.js';
import { timeForRound } from '../quorum/outcome/wait-budget.js';
import type { LeaseContext, WaitingCallers } from '../lease/lease-context.js';
import { Lease } from '../lease/lease.js';
import { OwnClaim } from '../quorum/own-claim.js';
import { reasonForPoller } from '../quorum/outcome/reason.js';
import { retryDelay } from './retry.js';
import type { CallerQueues } from './callers/caller-queues.js';
import { ignore } from '../time/ignore.js';

/** What `takeSeveral` needs from the engine. */
export type SeveralContext = Pick<LeaseContext, 'pool' | 'releases' | 'maxTtl'> & { readonly callers: CallerQueues };

/**
 * Acquires several resources: all at once if they are free. Otherwise it waits for one after the other, each in its own line and by the arrival
 * time of the caller. All callers use the same order, so that there is no deadlock. Example: a caller wants `a` and `b`, and `b` is held. It
 * takes `a`, keeps `a` while it waits for `b`, and then makes one lock of both. If its time is up before that, it gives `a` back.
 */
export async function takeSeveral(context: SeveralContext, request: AcquireRequest): Promise<Acquired> {
  const { budget, terms } = request;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await singleRoundUnlessAborted(context.pool, request);
    if (outcome.kind === 'won') return acquiredOf(outcome, attempts);
    request.report(outcome);
    const remaining = budget.remainingAfter(outcome, attempts);
    if (remaining <= 0) throw requestError(outcome, request);
    if (outcome.kind === 'contended') {
      const won = await takeInLine(context, request, attempts);
      if (won) return won;
      // Waiting for the parts may have taken all the time.
      if (budget.remaining(attempts) <= 0) throw requestError(outcome, request);
    } else await budget.pause(Math.min(remaining, retryDelay(terms, context.pool.random)));
  }
}

/**
 * Takes the parts in their lines and merges them; returns undefined if a part was lost, or became unusable, or the time of the caller was up,
 * before all were merged.
 */
async function takeInLine(
  context: SeveralContext,
  request: AcquireRequest,
  attempts: number,
): Promise<Acquired | undefined> {
  const parts = new LockParts(context, request);
  try {
    await parts.gather();
    return await parts.merge(attempts);
  } catch (error) {
    if (error instanceof ValueInDoubt) return undefined;
    throw error;
  } finally {
    parts.end();
  }
}

/** The parts of one lock, one for each resource. All have the same value. */
class LockParts {
  readonly #leases: Lease[] = [];
  readonly #claims: OwnClaim[] = [];
  readonly #value: string;
  /** The latest claim that was to make one of all parts. */
  #merging: OwnClaim | undefined;
  #isMerged = false;

  constructor(
    private readonly context: SeveralContext,
    private readonly request: AcquireRequest,
  ) {
    this.#value = context.pool.random.value();
  }

  /** Takes one part after the other, unless the time of the caller is up before it has them all. */
  async gather(): Promise<void> {
    const { callers, pool } = this.context;
    // Sorted by code units, because this order is the same in every process.
    for (const resource of [...this.request.resources].sort(byCodeUnits)) {
      // A listener of `contended`, which has just run, may have aborted the call.
      this.request.budget.throwIfAborted();
      if (this.#isLate) return;
      const won = await callers.take(this.#partOf(resource, pool.clock.now()));
      this.#claims.push(won.claim);
      const lease = new Lease(this.#silently, won, { terms: this.#terms, taken: pool.clock.now() });
      callers.hold(lease);
      this.#leases.push(lease);
    }
  }

  /**
   * Makes one lock of all parts by asking for all resources under their common value; returns undefined if a part was lost, or if the time of the
   * caller is up.
   */
  async merge(attempts: number): Promise<Acquired | undefined> {
    const { pool } = this.context;
    const { request } = this;
    const { resources, budget, terms } = request;
    while (!this.#isLate && this.#holdsAll) {
      budget.throwIfAborted();
      const claim = OwnClaim.merging(this.#claims, { resources, value: this.#value, former: this.#merging });
      this.#merging = claim;
      const round = startRound(pool, claim, request);
      const outcome = (await lockOf(pool, round)) ?? (await reasonForPoller(round.call, timeForRound(budget)));
      if (outcome.kind === 'won') return this.#merged({ ...acquiredOf(outcome, attempts), parts: this.#leases });
      // A vote is on its way back under the value that the next round would have, too.
      if (claim.isDoubtful) return undefined;
      const remaining = budget.remainingAfter(outcome, attempts);
      if (remaining <= 0) throw requestError(outcome, request);
      await budget.pause(Math.min(remaining, retryDelay(terms, pool.random)));
    }
    return undefined;
  }

  /**
   * Releases the parts, unless they have become one lock. The claim that was to become that is released, too: a node that a question about a part
   * never reached owes no release of the part, but may have given its vote to the whole.
   */
  end(): void {
    if (this.#isMerged) return;
    for (const lease of this.#leases) void lease.release();
    if (this.#merging) this.context.pool.release(this.#merging, this.request.terms.ttl);
  }

  #merged(won: Acquired): Acquired {
    this.#isMerged = true;
    for (const lease of this.#leases) lease.dissolve();
    return won;
  }

  /** Whether the time of the caller is up, so that nothing more is asked. */
  get #isLate(): boolean {
    return this.request.budget.remainingForVote <= 0;
  }

  get #holdsAll(): boolean {
    return this.#leases.every(({ validity }) => validity > 0) && !this.#claims.some(({ isDoubtful }) => isDoubtful);
  }

  #partOf(resource: string, start: Moment): AcquireRequest {
    const { request } = this;
    return {
      resources: [resource],
      wanted: request.resources,
      holding: request.holding,
      value: this.#value,
      terms: request.terms,
      budget: request.budget,
      start,
      report: (outcome) => request.report(outcome),
    };
  }

  get #terms(): LeaseTerms & { readonly autoExtend: true; readonly maxHold: number } {
    const { ttl, driftFactor } = this.request.terms;
    return { ttl, driftFactor, autoExtend: true, maxHold: Infinity };
  }

  /** Returns a context that emits no events and passes no lock on, because nobody outside knows of the parts. */
  get #silently(): LeaseContext {
    const { callers } = this.context;
    const silent: WaitingCallers = {
      successorOf: () => 'nobody',
      passOn: ignore,
      lockIsOver: (part) => callers.lockIsOver(part),
    };
    return { ...this.context, callers: silent, emit: ignore, shutdown: { over: ignore } };
  }
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : 1;
}
