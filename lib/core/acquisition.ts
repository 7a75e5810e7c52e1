import type { CallerContest } from './caller-contest.js';
import type { Moment } from './clock.js';
import { contestError, type Contest, type Victory } from './contention.js';
import type { PatienceTerms } from './patience.js';
import { extendOnce } from './extension.js';
import { ENOUGH } from './hand-off.js';
import type { SeveralSurroundings } from './several.js';
import { Turns } from './turns.js';
import { Ways } from './ways.js';

/**
 * Gets locks: in line, or by asking again and again; and hands each over with nearly its whole lease when its caller's turn comes,
 * however long those before it have computed.
 */
export class Acquisition {
  readonly #turns: Turns;
  readonly #ways: Ways;

  constructor(private readonly around: SeveralSurroundings) {
    this.#turns = new Turns(around.pool.clock);
    this.#ways = new Ways(around);
  }

  /** Tries until the resources are ours, or until time, count or a signal ends it; the lease counts from `start`. */
  async take(contest: CallerContest, terms: PatienceTerms, start: Moment): Promise<Victory> {
    const { patience } = contest;
    const { clock } = this.around.pool;
    const way = this.#ways.of(contest, terms);
    let won = await way.begin(contest, start);
    for (let attempts = won.attempts; ; won = await way.again(contest), attempts += won.attempts) {
      await this.#turns.next();
      let now = clock.now();
      let ready: Victory | undefined = won;
      if (!isWhole(won, now) && patience.leftForVote > 0) {
        ready = await this.#extended(won, contest);
        now = clock.now();
      }
      if (ready && ready.validity.remainingAt(now) > 0 && !patience.aborted) {
        if (contest.begin(ready, now, clock)) return ready;
      }
      this.#giveBack(won, contest);
      const isOver = patience.aborted || patience.left(attempts) <= 0;
      if (isOver) way.leave(contest);
      patience.throwIfAborted();
      if (isOver) throw contestError({ kind: 'blocked', nodes: [] }, contest);
    }
  }

  /**
   * What was won, extended until it is nearly a whole lease in a turn of its caller, or over; others may compute meanwhile. Undefined
   * where a majority has it no more.
   */
  async #extended(won: Victory, { patience, terms }: Contest): Promise<Victory | undefined> {
    const { pool } = this.around;
    for (let ready = won; ;) {
      const isHeld = (): boolean => ready.validity.remaining(pool.clock) > 0;
      if (isWhole(ready, pool.clock.now()) || !isHeld() || patience.leftForVote <= 0 || patience.aborted) return ready;
      const extension = await extendOnce(pool, { claim: ready.claim, terms, onSend: ignore, isHeld, patience });
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

  #giveBack({ claim, parts = [] }: Victory, { terms }: Contest): void {
    this.around.pool.release(claim, terms.ttl);
    for (const part of parts) this.around.lines.leave(part);
  }
}

function isWhole({ validity }: Pick<Victory, 'validity'>, now: Moment): boolean {
  return validity.remainingAt(now) >= validity.length * ENOUGH;
}

function ignore(): void {
  // Nobody has the lease yet.
}
