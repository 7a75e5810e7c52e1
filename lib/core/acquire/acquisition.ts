import type { CallerRequest } from './caller-request.js';
import type { Moment } from '../time/clock.js';
import { requestError, type AcquireRequest, type Acquired } from './polling.js';
import type { WaitTerms } from '../quorum/wait-budget.js';
import { extendOnce } from '../lease/extension.js';
import { LEAST_SHARE_LEFT } from '../port/hand-off.js';
import type { SeveralContext } from './several.js';
import { Turns } from '../time/turns.js';
import { Ways } from './ways.js';

/**
 * Acquires locks, in line or by polling. Callers go on one at a time, and each begins with nearly its whole lease. Example: A and B get their
 * locks at the same time, and A computes for two seconds before B can go on. Then the lease of B is extended before B begins.
 */
export class Acquisition {
  readonly #turns: Turns;
  readonly #ways: Ways;

  constructor(private readonly context: SeveralContext) {
    this.#turns = new Turns(context.pool.clock);
    this.#ways = new Ways(context);
  }

  /**
   * Acquires the resources; throws if the wait timeout, the retry count or an abort ends that. In line, the lease of a free resource counts from
   * `start`, a moment before anything is sent.
   */
  async take(request: CallerRequest, terms: WaitTerms, start: Moment): Promise<Acquired> {
    const { budget } = request;
    const { clock } = this.context.pool;
    const way = this.#ways.of(request, terms);
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

  /**
   * Extends a won lease until nearly the whole of it is left in a turn of its caller, because other callers may compute in between. Returns the
   * latest lease, which may still be short or over; returns undefined if so many nodes lost the claim that no quorum has it.
   */
  async #extended(won: Acquired, { budget, terms }: AcquireRequest): Promise<Acquired | undefined> {
    const { pool } = this.context;
    for (let ready = won; ;) {
      const isHeld = (): boolean => ready.validity.remaining(pool.clock) > 0;
      if (isWhole(ready, pool.clock.now()) || !isHeld() || budget.remainingForVote <= 0 || budget.aborted) return ready;
      const extension = await extendOnce(pool, { claim: ready.claim, terms, onSend: ignore, isHeld, budget });
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

function ignore(): void {
  // There is no `Lease` object yet that has to know the new validity.
}
