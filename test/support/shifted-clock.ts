import type { Moment } from '../../lib/engine/clock.js';
import { SystemClock } from '../../lib/engine/system-clock.js';

/** The clock of a machine whose wall clock is so many ms ahead of that of this one. */
export class ShiftedClock extends SystemClock {
  constructor(private readonly ahead: number) {
    super();
  }

  override now(): Moment {
    const { monotonic, wall } = super.now();
    return { monotonic, wall: wall + this.ahead };
  }
}
