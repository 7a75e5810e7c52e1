import type { Moment } from '../time/clock.js';
import { contend, type AcquireRequest, type Acquired } from './polling.js';
import type { WaitTerms } from '../quorum/wait-budget.js';
import { takeSeveral, type SeveralContext } from './several.js';

/** A way in which callers get what they want. */
interface Way {
  /** The lease of a lock that is free counts from `start`, before anything is sent. */
  begin(request: AcquireRequest, start: Moment): Promise<Acquired>;
  again(request: AcquireRequest): Promise<Acquired>;
  /** What was won was in vain, and is not asked for again. */
  leave(request: AcquireRequest): void;
}

/** The ways to a lock, of which a caller goes one. */
export class Ways {
  readonly #polling: Way;
  readonly #inLine: Way;
  readonly #several: Way;

  constructor(context: SeveralContext) {
    const { pool, lines } = context;
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

  of({ resources }: AcquireRequest, terms: WaitTerms): Way {
    if (!isPatient(terms)) return this.#polling;
    return resources.length === 1 ? this.#inLine : this.#several;
  }
}

/** Whether a caller waits at all: a single attempt takes no place in a line. */
export function isPatient({ waitTimeout, retryCount }: WaitTerms): boolean {
  return waitTimeout > 0 && retryCount > 0;
}

function leave(): void {
  // Nobody stands behind this caller.
}
