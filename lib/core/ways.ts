import type { Moment } from './clock.js';
import { contend, type Contest, type Victory } from './contention.js';
import type { PatienceTerms } from './patience.js';
import { takeSeveral, type SeveralSurroundings } from './several.js';

/** A way in which callers get what they want. */
interface Way {
  /** The lease of a lock that is free counts from `start`, before anything is sent. */
  begin(contest: Contest, start: Moment): Promise<Victory>;
  again(contest: Contest): Promise<Victory>;
  /** What was won was in vain, and is not asked for again. */
  leave(contest: Contest): void;
}

/** The ways to a lock, of which a caller goes one. */
export class Ways {
  readonly #polling: Way;
  readonly #inLine: Way;
  readonly #several: Way;

  constructor(around: SeveralSurroundings) {
    const { pool, lines } = around;
    const poll = (contest: Contest): Promise<Victory> => contend(pool, contest);
    const takeAll = (contest: Contest): Promise<Victory> => takeSeveral(around, contest);
    this.#polling = { begin: poll, again: poll, leave };
    this.#several = { begin: takeAll, again: takeAll, leave };
    this.#inLine = {
      begin: (contest, start) => lines.take(contest, start),
      again: (contest) => lines.again(contest),
      leave: (contest) => lines.giveUp(contest),
    };
  }

  of({ resources }: Contest, terms: PatienceTerms): Way {
    if (!isPatient(terms)) return this.#polling;
    return resources.length === 1 ? this.#inLine : this.#several;
  }
}

/** Whether a caller waits at all: a single attempt takes no place in a line. */
export function isPatient({ waitTimeout, retryCount }: PatienceTerms): boolean {
  return waitTimeout > 0 && retryCount > 0;
}

function leave(): void {
  // Nobody stands behind this caller.
}
