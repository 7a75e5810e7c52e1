import { LockLostError } from '../api/errors.js';
import type { LockListener } from '../api/events.js';
import { extendOnce } from '../lease/extension.js';
import { LEAST_SHARE_LEFT } from '../port/hand-off.js';
import type { Denied } from '../quorum/outcome.js';
import type { WaitTerms } from '../quorum/wait-budget.js';
import type { Clock, Moment } from '../time/clock.js';
import { Turns } from '../time/turns.js';
import { contend, requestError, type AcquireRequest, type Acquired } from './polling.js';
import { takeSeveral, type SeveralContext } from './several.js';

/** The request of one caller. It emits `contended` once at most, and `acquired` when the caller gets the lock. */
export class CallerRequest implements AcquireRequest {
  readonly resources: AcquireRequest['resources'];
  readonly terms: AcquireRequest['terms'];
  readonly budget: AcquireRequest['budget'];
  /** The moment when the caller got the lock, read after the listeners of `acquired` have run. */
  taken: Moment | undefined;
  #reported = false;

  constructor(
    { resources, terms, budget }: Omit<AcquireRequest, 'onDenied'>,
    private readonly emit: LockListener,
  ) {
    this.resources = resources;
    this.terms = terms;
    this.budget = budget;
  }

  /** Emits `acquired` and returns true. If a listener of that event computes until the lease is over, it also emits `lost` and returns false. */
  begin({ attempts, claim, validity, turn = 0 }: Acquired, now: Moment, clock: Clock): boolean {
    const { resources } = this;
    const waited = Math.round(this.budget.waitedUntil(now));
    const path = turn > 0 ? 'local' : this.#reported ? 'hand-off' : 'free';
    const fencingToken = claim.token + turn;
    this.emit({ type: 'acquired', resources, waited, attempts, path, fencingToken });
    this.taken = clock.now();
    if (validity.remainingAt(this.taken) > 0) return true;
    const why = 'its listener of events computed for longer than the lease lasted';
    this.emit({ type: 'lost', resources, fencingToken, error: new LockLostError(resources, 'pause', why) });
    return false;
  }

  onDenied({ kind }: Pick<Denied, 'kind'>): void {
    if (kind !== 'contended' || this.#reported) return;
    this.#reported = true;
    this.emit({ type: 'contended', resources: this.resources });
  }
}

/** One way to acquire a lock. */
interface Way {
  /** Asks for the first time. In line, the lease of a free resource counts from `start`, a moment before anything is sent. */
  begin(request: AcquireRequest, start: Moment): Promise<Acquired>;
  again(request: AcquireRequest): Promise<Acquired>;
  /** Called when a caller could not begin with what it had won, and does not ask again. */
  leave(request: AcquireRequest): void;
}

/**
 * Acquires locks, in line or by polling. Callers go on one at a time, and each begins with nearly its whole lease. Example: A and B get their
 * locks at the same time, and A computes for two seconds before B can go on. Then the lease of B is extended before B begins.
 */
export class Acquisition {
  readonly #turns: Turns;
  readonly #polling: Way;
  readonly #inLine: Way;
  readonly #several: Way;

  constructor(private readonly context: SeveralContext) {
    const { pool, lines } = context;
    this.#turns = new Turns(pool.clock);
    const poll = (request: AcquireRequest): Promise<Acquired> => contend(pool, request);
    const takeAll = (request: AcquireRequest): Promise<Acquired> => takeSeveral(context, request);
    this.#polling = { begin: poll, again: poll, leave };
    this.#several = { begin: takeAll, again: takeAll, leave };
    this.#inLine = {
      begin: (request, start) => lines.take(request, start),
      again: (request) => lines.again(request),
      leave: (request) => lines.giveUp(request),
    };
  }

  /**
   * Acquires the resources; throws if the wait timeout, the retry count or an abort ends that. In line, the lease of a free resource counts from
   * `start`, a moment before anything is sent.
   */
  async take(request: CallerRequest, terms: WaitTerms, start: Moment): Promise<Acquired> {
    const { budget } = request;
    const { clock } = this.context.pool;
    const way = this.#wayOf(request, terms);
    let won = await way.begin(request, start);
    for (let attempts = won.attempts; ; won = await way.again(request), attempts += won.attempts) {
      await this.#turns.next();
      let now = clock.now();
      let ready: Acquired | undefined = won;
      if (!isWhole(won, now) && budget.remainingForVote > 0) {
        ready = await this.#extended(won, request);
        now = clock.now();
      }
      if (ready && ready.validity.remainingAt(now) > 0 && !budget.aborted) {
        if (request.begin(ready, now, clock)) return ready;
      }
      this.#giveBack(won, request);
      const isOver = budget.aborted || budget.remaining(attempts) <= 0;
      if (isOver) way.leave(request);
      budget.throwIfAborted();
      if (isOver) throw requestError({ kind: 'blocked', nodes: [] }, request);
    }
  }

  #wayOf({ resources }: AcquireRequest, terms: WaitTerms): Way {
    if (!isPatient(terms)) return this.#polling;
    return resources.length === 1 ? this.#inLine : this.#several;
  }

  /**
   * Extends a won lease until nearly the whole of it is left in a turn of its caller, because other callers may compute in between. Returns the
   * latest lease, which may still be short or over; returns undefined if so many nodes lost the claim that no quorum has it.
   */
  async #extended(won: Acquired, { budget, terms }: AcquireRequest): Promise<Acquired | undefined> {
    const { pool } = this.context;
    for (let ready = won; ;) {
      const isHeld = (): boolean => ready.validity.remaining(pool.clock) > 0;
      if (isWhole(ready, pool.clock.now()) || !isHeld() || budget.remainingForVote <= 0 || budget.aborted) return ready;
      const extension = await extendOnce(pool, { claim: ready.claim, terms, isHeld, budget });
      const isProven = extension.kind === 'extended' && isHeld();
      // The nodes answer so slowly that too little of the new lease is left. Another extension would take just as long.
      const isSlow = isProven && !isWhole(extension, pool.clock.now());
      // Wait for a turn after a failure, too: the extensions of many callers fail at the same moment, and the callers still go on one at a time.
      await this.#turns.next();
      if (!isProven) return extension.kind === 'gone' ? undefined : ready;
      ready = { ...ready, validity: extension.validity };
      if (isSlow) return ready;
    }
  }

  #giveBack({ claim, parts = [] }: Acquired, { terms }: AcquireRequest): void {
    this.context.pool.release(claim, terms.ttl);
    for (const part of parts) this.context.lines.leave(part);
  }
}

function isWhole({ validity }: Pick<Acquired, 'validity'>, now: Moment): boolean {
  return validity.remainingAt(now) >= validity.length * LEAST_SHARE_LEFT;
}

/** Returns whether a caller waits at all; a caller with a single attempt takes no place in a line. */
export function isPatient({ waitTimeout, retryCount }: WaitTerms): boolean {
  return waitTimeout > 0 && retryCount > 0;
}

function leave(): void {
  // No other caller waits behind this one.
}
