import { Logger } from '@nestjs/common';
import { elapsed, type Clock, type Moment } from '../core/time/clock.js';
import { shown } from '../core/api/names.js';
import { SystemClock } from '../core/time/system-clock.js';

/** Ms within which no warning is repeated. */
const QUIET = 60_000;
/** How many lines are logged within that time, so that a loop over many resources does not flood the log either. */
const MOST_LINES = 20;

/** Warns of calls that wait for a lock that the code around them holds, once a minute for each set of resources. */
export class SelfContentionLog {
  readonly #reported = new Set<string>();
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

  notify(resources: readonly string[], holding: readonly string[]): void {
    const now = this.#clock.now();
    if (elapsed(this.#since, now) >= QUIET) {
      this.#reported.clear();
      this.#since = now;
    }
    const wanted = this.#names(resources);
    if (this.#reported.has(wanted) || this.#reported.size >= MOST_LINES) return;
    this.#reported.add(wanted);
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
