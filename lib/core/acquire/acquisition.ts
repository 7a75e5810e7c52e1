import { extendOnce } from '../lease/extension.js';
import type { HeldLease } from '../lease/lease-context.js';
import type { Moment } from '../time/clock.js';
import { poll } from './polling.js';
import type { CallerRequest } from './caller-request.js';
import { LEAST_SHARE_LEFT, requestError, type AcquireRequest, type Acquired } from './request.js';
import { takeSeveral, type SeveralContext } from './several.js';

/** What `Acquisition` needs from the engine. */
export interface AcquisitionContext extends SeveralContext {
  /** Whether anybody outside of the engine listens to its events now. */
  readonly isHeard: () => boolean;
}

/** One way to acquire a lock. */
interface Way {
  take(request: AcquireRequest): Promise<Acquired>;
  /** Asks again, because the lease that the caller had won was over before it could begin. */
  again(request: AcquireRequest): Promise<Acquired>;
  /** Called when a caller could not begin with what it had won, and does not ask again. */
  giveUp(request: AcquireRequest): void;
  /** Called with the lease of a lock that was acquired this way: the callers that come now wait for it. */
  announce(lease: HeldLease, won: Acquired): void;
}

/**
 * Acquires locks by polling, in line, or several in one line after the other. Each caller goes on in a turn of the event loop of its own, and
 * begins with nearly its whole lease. Example: A and B get their locks at the same time, and A computes for two seconds before B can go on. Then
 * the lease of B is extended before B begins.
 */
export class Acquisition {
  readonly #polling: Way;
  readonly #inLine: Way;
  readonly #several: Way;

  constructor(private readonly context: AcquisitionContext) {
    const { pool, callers } = context;
    const polled = (request: AcquireRequest): Promise<Acquired> => poll(pool, request);
    const takeAll = (request: AcquireRequest): Promise<Acquired> => takeSeveral(context, request);
    const adopt = (lease: HeldLease): void => callers.adopt(lease);
    const hold = (lease: HeldLease): void => callers.hold(lease);
    this.#polling = { take: polled, again: polled, giveUp: nobodyBehind, announce: adopt };
    // Only a lock that was taken in parts has stood in the queues of the process.
    const announce = (lease: HeldLease, { parts }: Acquired): void => {
      if (parts) callers.merge(lease, parts);
      else adopt(lease);
    };
    this.#several = { take: takeAll, again: takeAll, giveUp: nobodyBehind, announce };
    this.#inLine = {
      take: (request) => callers.take(request),
      again: (request) => callers.again(request),
      giveUp: (request) => callers.giveUp(request),
      announce: hold,
    };
  }

  /** Acquires the resources; throws if the wait timeout, the retry count or an abort ends that. */
  async take(request: CallerRequest): Promise<Acquired> {
    const { budget } = request;
    const { clock } = this.context.pool;
    const way = this.#wayOf(request);
    let won = await way.take(request);
    for (let { attempts } = won; ;) {
      let ready = await this.#ready(won, request);
      const now = clock.now();
      if (ready && ready.validity.remainingAt(now) > 0 && !budget.aborted) {
        request.acquired(ready, now);
        // What a listener does, at once or after an `await`, may take long.
        if (this.context.isHeard()) ready = await this.#ready(ready, request);
        const begun = request.begin(ready, clock.now());
        if (begun) return begun;
      }
      this.#giveBack(won, request);
      const isOver = budget.aborted || budget.remaining(attempts) <= 0;
      if (isOver) way.giveUp(request);
      budget.throwIfAborted();
      if (isOver) throw requestError({ kind: 'blocked', nodes: [] }, request);
      won = await way.again(request);
      attempts += won.attempts;
    }
  }

  /** Lets the callers that come now wait for a lock that was acquired with `take`. */
  announce(request: CallerRequest, lease: HeldLease, won: Acquired): void {
    this.#wayOf(request).announce(lease, won);
  }

  /** Polling for a caller that does not wait; else in line or, for several resources, in the line of one after the other. */
  #wayOf({ resources, isPatient }: CallerRequest): Way {
    if (!isPatient) return this.#polling;
    return resources.length === 1 ? this.#inLine : this.#several;
  }

  /** Resolves in a turn of the caller, with the lease of which nearly the whole is left. @see #extended */
  async #ready(won: Acquired, request: AcquireRequest): Promise<Acquired | undefined> {
    await this.#turn();
    const isEnough = isNearlyWhole(won, this.context.pool.clock.now()) || request.budget.remainingForVote <= 0;
    return isEnough ? won : this.#extended(won, request);
  }

  /**
   * Extends a won lease until nearly the whole of it is left in a turn of its caller, because other callers may compute in between. Returns the
   * latest lease, which may still be short or over; returns undefined if so many nodes lost the claim that no quorum has it.
   */
  async #extended(won: Acquired, { budget, terms }: AcquireRequest): Promise<Acquired | undefined> {
    const { pool } = this.context;
    for (let ready = won; ;) {
      // After an abort, the lock is given back when its turn comes: a node that answers late must not be asked for it again.
      const isHeld = (): boolean => ready.validity.remaining(pool.clock) > 0 && !budget.aborted;
      if (isNearlyWhole(ready, pool.clock.now()) || !isHeld() || budget.remainingForVote <= 0) return ready;
      const extension = await extendOnce(pool, { claim: ready.claim, terms, isHeld, budget });
      const isProven = extension.kind === 'extended' && isHeld();
      // The nodes answer so slowly that too little of the new lease is left. Another extension would take just as long.
      const isSlow = isProven && !isNearlyWhole(extension, pool.clock.now());
      // Wait for a turn after a failure, too: the extensions of many callers fail at the same moment, and the callers still go on one at a time.
      await this.#turn();
      if (!isProven) return extension.kind === 'gone' ? undefined : ready;
      ready = { ...ready, validity: extension.validity };
      if (isSlow) return ready;
    }
  }

  /**
   * Resolves in a turn of its own of the event loop: between a check in this turn and what the caller does first, nobody else computes. A tick
   * would not do, because Node runs all ticks before the reactions to any of them.
   */
  #turn(): Promise<void> {
    return new Promise((resolve) => this.context.pool.clock.nextTurn(resolve));
  }

  #giveBack({ claim, parts = [] }: Acquired, { terms }: AcquireRequest): void {
    this.context.pool.release(claim, terms.ttl);
    for (const part of parts) this.context.callers.lockIsOver(part);
  }
}

function isNearlyWhole({ validity }: Pick<Acquired, 'validity'>, now: Moment): boolean {
  return validity.remainingAt(now) >= validity.length * LEAST_SHARE_LEFT;
}

function nobodyBehind(): void {
  // No other caller waits behind this one.
}
