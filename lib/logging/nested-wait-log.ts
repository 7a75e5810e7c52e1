import { Logger } from '@nestjs/common';
import { elapsed, type Clock, type Moment } from '../engine/clock.js';
import { shown } from '../engine/names.js';
import { SystemClock } from '../engine/system-clock.js';

/** Ms within which no warning is repeated. */
const QUIET = 60_000;
/** How many lines are logged within that time, so that a loop over many resources does not flood the log either. */
const MOST_LINES = 20;

/** Warns of calls that wait while the code around them holds locks: their own, or others that the holder may be waiting for. */
export class NestedWaitLog {
  readonly #reported = new Set<string>();
  /** Waits that can be a deadlock. Most are none, so each is told once. */
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

  /** A call waits for a lock that the code around it holds. Logged once a minute for each set of resources. */
  waitsForItself(resources: readonly string[], holding: readonly string[]): void {
    const now = this.#clock.now();
    if (elapsed(this.#since, now) >= QUIET) {
      this.#reported.clear();
      this.#since = now;
    }
    const wanted = this.#names(resources);
    if (this.#reported.has(wanted) || this.#reported.size >= MOST_LINES) return;
    this.#reported.add(wanted);
    this.logger.warn(selfWarning(wanted, this.#names(holding)));
  }

  /** A call waits for another holder. Logged once for each pair of sets of resources. */
  waitsForOther(resources: readonly string[], holding: readonly string[]): void {
    const text = deadlockWarning(this.#names(resources), this.#names(holding), this.#names([...holding, ...resources]));
    if (this.#told.has(text) || this.#told.size >= MOST_LINES) return;
    this.#told.add(text);
    this.logger.warn(text);
  }
}

function deadlockWarning(wanted: string, held: string, all: string): string {
  return (
    `A call that holds ${held} waits for ${wanted}. If the holder of that waits for ${held}, neither goes on until waitTimeout: a ` +
    `deadlock. Take both in one call: withLock([${all}], ...). This is said once.`
  );
}

function selfWarning(wanted: string, held: string): string {
  return (
    `${held} is already held by this call. The nested call for ${wanted} waits for its own caller until waitTimeout. Take the lock ` +
    'once, or set reentrant: true on the inner call (withLock, @WithLock). A job of a queue that was started under the lock just ' +
    'waits for the release.'
  );
}
