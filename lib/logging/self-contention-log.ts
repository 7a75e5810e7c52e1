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
    `${held} is already held by this call. The nested call for ${wanted} waits for its own caller until waitTimeout. Take the lock ` +
    'once, or set reentrant: true on the inner call (withLock, @WithLock). A job of a queue that was started under the lock just ' +
    'waits for the release.'
  );
}
