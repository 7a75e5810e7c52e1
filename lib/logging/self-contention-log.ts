import { Logger } from '@nestjs/common';
import { elapsed, type Clock, type Moment } from '../core/time/clock.js';
import { shown } from '../core/api/names.js';
import { SystemClock } from '../core/time/system-clock.js';

/** Ms for which nothing is said twice. */
const QUIET = 60_000;
/** Lines within that time, so that a loop over many resources does not flood the log either. */
const MOST_LINES = 20;

/** Warns of calls that wait for a lock that the code around them holds: of each set of resources once a minute. */
export class SelfContentionLog {
  readonly #told = new Set<string>();
  readonly #names: typeof shown;
  readonly #clock: Clock;
  #since: Moment;

  constructor(
    private readonly logger: Logger,
    {
      names = shown,
      clock = new SystemClock(),
    }: { readonly names?: typeof shown; readonly clock?: Clock | undefined } = {},
  ) {
    this.#names = names;
    this.#clock = clock;
    this.#since = clock.now();
  }

  tell(resources: readonly string[], holding: readonly string[]): void {
    const now = this.#clock.now();
    if (elapsed(this.#since, now) >= QUIET) {
      this.#told.clear();
      this.#since = now;
    }
    const wanted = this.#names(resources);
    if (this.#told.has(wanted) || this.#told.size >= MOST_LINES) return;
    this.#told.add(wanted);
    this.logger.warn(warningOf(wanted, this.#names(holding)));
  }
}

function warningOf(wanted: string, held: string): string {
  return (
    `A nested lock on ${wanted} waits for a lock that the code around it holds (${held}): where that code ` +
    'awaits it, it can only time out. Take it once in the outer call, or say reentrant: true (withLock, @WithLock) to run inside ' +
    'the held lock. Work that a queue does here for other callers gets its turn after the release.'
  );
}
