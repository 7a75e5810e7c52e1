import { LockLostError } from '../api/errors.js';
import type { LockListener } from '../api/events.js';
import { extendOnce } from '../lease/extension.js';
import type { Holders } from '../quorum/holders.js';
import type { HeldLease } from '../lease/lease-context.js';
import type { Clock, Moment } from '../time/clock.js';
import { Turns } from '../time/turns.js';
import { poll } from './polling.js';
import { LEAST_SHARE_LEFT, requestError, type AcquireRequest, type Acquired, type Denial } from './request.js';
import { takeSeveral, type SeveralContext } from './several.js';

/** The request of one caller. It emits `contended` once at most, and `acquired` when the caller gets the lock. */
export class CallerRequest implements AcquireRequest {
  readonly resources: AcquireRequest['resources'];
  readonly terms: AcquireRequest['terms'];
  readonly budget: AcquireRequest['budget'];
  readonly start: Moment;
  /** The moment when the caller got the lock, read after the listeners of `acquired` have run. */
  taken: Moment | undefined;
  #wasContended = false;

  constructor(
    { resources, terms, budget, start }: Omit<AcquireRequest, 'report'>,
    private readonly emit: LockListener,
    private readonly holders: Pick<Holders, 'find'>,
  ) {
    this.resources = resources;
    this.terms = terms;
    this.budget = budget;
    this.start = start;
  }

  /** Whether the caller waits at all; a caller with a single attempt takes no place in a line. */
  get isPatient(): boolean {
    return this.terms.waitTimeout > 0 && this.terms.retryCount > 0;
  }

  /** Emits `acquired` and returns true. If a listener of that event computes until the lease is over, it also emits `lost` and returns false. */
  begin({ attempts, claim, validity, passes = 0 }: Acquired, now: Moment, clock: Clock): boolean {
    const { resources } = this;
    const waited = Math.round(this.budget.waitedUntil(now));
    const path = passes > 0 ? 'local' : this.#wasContended ? 'hand-off' : 'free';
    const fencingToken = claim.token + passes;
    this.emit({ type: 'acquired', resources, waited, attempts, path, fencingToken });
    this.taken = clock.now();
    if (validity.remainingAt(this.taken) > 0) return true;
    const why = 'its listener of events computed for longer than the lease lasted';
    this.emit({ type: 'lost', resources, fencingToken, error: new LockLostError(resources, 'pause', why) });
    return false;
  }

  /** Emits `contended` if somebody else has the resources. */
  report({ kind, holder }: Denial): void {
    if (kind !== 'contended') return;
    // Looked up now, so that the error after a wait in vain can name the holder.
    if (holder !== undefined) this.holders.find(holder);
    if (this.#wasContended) return;
    this.#wasContended = true;
    this.emit({ type: 'contended', resources: this.resources });
  }
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
 * Acquires locks by polling, in line, or several in one line after the other. Callers go on one at a time, and each begins with nearly its whole
 * lease. Example: A and B get their locks at the same time, and A computes for two seconds before B can go on. Then the lease of B is extended
 * before B begins.
 */
export class Acquisition {
  readonly #turns: Turns;
  readonly #polling: Way;
  readonly #inLine: Way;
  readonly #several: Way;

  constructor(private readonly context: SeveralContext) {
    const { pool, callers } = context;
    this.#turns = new Turns(pool.clock);
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
      await this.#turns.next();
      let now = clock.now();
      let ready: Acquired | undefined = won;
      if (!isNearlyWhole(won, now) && budget.remainingForVote > 0) {
        ready = await this.#extended(won, request);
        now = clock.now();
      }
      if (ready && ready.validity.remainingAt(now) > 0 && !budget.aborted) {
        if (request.begin(ready, now, clock)) return ready;
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
      await this.#turns.next();
      if (!isProven) return extension.kind === 'gone' ? undefined : ready;
      ready = { ...ready, validity: extension.validity };
      if (isSlow) return ready;
    }
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
