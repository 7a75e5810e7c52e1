import type { Moment } from '../time/clock.js';
import { contend, type AcquireRequest, type Acquired } from './polling.js';
import type { WaitTerms } from '../quorum/wait-budget.js';
import { takeSeveral, type SeveralContext } from './several.js';

/** One way to acquire a lock. */
interface Way {
  /** Asks for the first time. In line, the lease of a free resource counts from `start`, a moment before anything is sent. */
  begin(request: AcquireRequest, start: Moment): Promise<Acquired>;
  again(request: AcquireRequest): Promise<Acquired>;
  /** Called when a caller could not begin with what it had won, and does not ask again. */
  leave(request: AcquireRequest): void;
}

/** Chooses the way in which a caller acquires its lock. */
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

/** Returns whether a caller waits at all; a caller with a single attempt takes no place in a line. */
export function isPatient({ waitTimeout, retryCount }: WaitTerms): boolean {
  return waitTimeout > 0 && retryCount > 0;
}

function leave(): void {
  // No other caller waits behind this one.
}
