import type { Moment } from './clock.js';
import { SystemClock } from './system-clock.js';
import type { RawClocks } from './suspension-watch.js';

/**
 * Real time for a pool whose only node is in this process. Its wall clock begins at that of the machine, and then goes on with the monotonic
 * clock: leases on the node end, and fencing tokens grow, by the wall clock, and nobody else has to agree on it. If they followed the wall
 * clock of the machine, setting that forward would end the leases of holders, and setting it back would leave resources locked.
 */
export class SteadyClock extends SystemClock {
  /** Ms by which the wall clock is ahead of the monotonic clock. */
  readonly #wallAhead: number;

  constructor(raw?: RawClocks) {
    super(raw);
    const { monotonic, wall } = super.now();
    this.#wallAhead = wall - monotonic;
  }

  override now(): Moment {
    const { monotonic } = super.now();
    return { monotonic, wall: monotonic + this.#wallAhead };
  }
}
