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
 * Gets locks: in line, or by asking again and again; and hands each over with nearly its whole lease when its caller's turn comes,
 * however long those before it have computed.
 */
export class Acquisition {
  readonly #turns: Turns;
  readonly #ways: Ways;

  constructor(private readonly context: SeveralContext) {
    this.#turns = new Turns(context.pool.clock);
    this.#ways = new Ways(context);
  }

  /** Tries until the resources are ours, or until time, count or a signal ends it; the lease counts from `start`. */
  async take(request: CallerRequest, terms: WaitTerms, start: Moment): Promise<Acquired> {
    const { budget } = request;
    const { clock } = this.context.pool;
    const way = this.#ways.of(request, terms);
    let won = await way.begin(request, start);
    for (let attempts = won.attempts; ; won = await way.again(request), attempts += won.attempts) {
      await this.#turns.next();
      let now = clock.now();
      let ready: Acquired | undefined = won;
      if (!isWhole(won, now) && budget.leftForVote > 0) {
        ready = await this.#extended(won, request);
        now = clock.now();
      }
      if (ready && ready.validity.remainingAt(now) > 0 && !budget.aborted) {
        if (request.begin(ready, now, clock)) return ready;
      }
      this.#giveBack(won, request);
      const isOver = budget.aborted || budget.left(attempts) <= 0;
      if (isOver) way.leave(request);
      budget.throwIfAborted();
      if (isOver) throw requestError({ kind: 'blocked', nodes: [] }, request);
    }
  }

  /**
   * What was won, extended until it is nearly a whole lease in a turn of its caller, or over; others may compute meanwhile. Undefined
   * where a majority has it no more.
   */
  async #extended(won: Acquired, { budget, terms }: AcquireRequest): Promise<Acquired | undefined> {
    const { pool } = this.context;
    for (let ready = won; ;) {
      const isHeld = (): boolean => ready.validity.remaining(pool.clock) > 0;
      if (isWhole(ready, pool.clock.now()) || !isHeld() || budget.leftForVote <= 0 || budget.aborted) return ready;
      const extension = await extendOnce(pool, { claim: ready.claim, terms, onSend: ignore, isHeld, budget });
      const isProven = extension.kind === 'extended' && isHeld();
      // On nodes that take so long for an answer, another extension would take as much of the next lease.
      const isSlow = isProven && !isWhole(extension, pool.clock.now());
      // Also where it is not: those whose leases could not be extended are told so together.
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
  // Nobody has the lease yet.
}
