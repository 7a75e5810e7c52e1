import type { CallerContest } from './caller-contest.js';
import type { Moment } from './clock.js';
import { contend, contestError, type Contest, type Victory } from './contention.js';
import type { PatienceTerms } from './patience.js';
import { extendOnce } from './extension.js';
import { ENOUGH } from './hand-off.js';
import { takeSeveral, type SeveralSurroundings } from './several.js';
import { Turns } from './turns.js';

/** The way in which one caller gets what it wants. */
interface Way {
  begin(): Promise<Victory>;
  again(): Promise<Victory>;
  /** What was won was in vain, and is not asked for again. */
  leave(): void;
}

/**
 * Gets locks: in line, or by asking again and again; and hands each over with nearly its whole lease when its caller's turn comes,
 * however long those before it have computed.
 */
export class Acquisition {
  readonly #turns: Turns;

  constructor(private readonly around: SeveralSurroundings) {
    this.#turns = new Turns(around.pool.clock);
  }

  /** Tries until the resources are ours, or until time, count or a signal ends it; the lease counts from `start`. */
  async take(contest: CallerContest, terms: PatienceTerms, start: Moment): Promise<Victory> {
    const { patience } = contest;
    const way = this.#wayOf(contest, terms, start);
    for (let won = await way.begin(), attempts = won.attempts; ; won = await way.again(), attempts += won.attempts) {
      await this.#turns.next();
      const ready = this.#isWhole(won) || patience.leftForVote <= 0 ? won : await this.#extended(won, contest);
      if (ready && ready.validity.remaining(this.around.pool.clock) > 0 && !patience.aborted) {
        if (contest.begin(ready, this.around.pool.clock)) return ready;
      }
      this.#giveBack(won, contest);
      const isOver = patience.aborted || patience.left(attempts) <= 0;
      if (isOver) way.leave();
      patience.throwIfAborted();
      if (isOver) throw contestError({ kind: 'blocked', nodes: [] }, contest);
    }
  }

  #isWhole({ validity }: Pick<Victory, 'validity'>): boolean {
    return validity.remaining(this.around.pool.clock) >= validity.length * ENOUGH;
  }

  /**
   * What was won, extended until it is nearly a whole lease in a turn of its caller, or over; others may compute meanwhile. Undefined
   * where a majority has it no more.
   */
  async #extended(won: Victory, { patience, terms }: Contest): Promise<Victory | undefined> {
    const { pool } = this.around;
    for (let ready = won; ;) {
      const isHeld = (): boolean => ready.validity.remaining(pool.clock) > 0;
      if (this.#isWhole(ready) || !isHeld() || patience.leftForVote <= 0 || patience.aborted) return ready;
      const extension = await extendOnce(pool, { claim: ready.claim, terms, onSend: ignore, isHeld, patience });
      const isProven = extension.kind === 'extended' && isHeld();
      // On nodes that take so long for an answer, another extension would take as much of the next lease.
      const isSlow = isProven && !this.#isWhole(extension);
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

  #wayOf(contest: Contest, terms: PatienceTerms, start: Moment): Way {
    const { pool, lines } = this.around;
    const poll = (): Promise<Victory> => contend(pool, contest);
    if (!isPatient(terms)) return { begin: poll, again: poll, leave };
    if (contest.resources.length === 1) {
      const again = (): Promise<Victory> => lines.again(contest);
      return { begin: () => lines.take(contest, start), again, leave: () => lines.giveUp(contest) };
    }
    const takeAll = (): Promise<Victory> => takeSeveral(this.around, contest);
    return { begin: takeAll, again: takeAll, leave };
  }
}

/** Whether a caller waits at all: a single attempt takes no place in a line. */
export function isPatient({ waitTimeout, retryCount }: PatienceTerms): boolean {
  return waitTimeout > 0 && retryCount > 0;
}

function leave(): void {
  // Nobody stands behind this caller.
}

function ignore(): void {
  // Nobody has the lease yet.
}
