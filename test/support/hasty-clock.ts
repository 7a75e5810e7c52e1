import type { Moment } from '../../lib/engine/clock.js';
import { SystemClock } from '../../lib/engine/system-clock.js';

/** A clock on which a test lets time pass at once. */
export class HastyClock extends SystemClock {
  /** Ms that have passed without any timer. */
  passed = 0;

  override now(): Moment {
    const { monotonic, wall } = super.now();
    return { monotonic: monotonic + this.passed, wall: wall + this.passed };
  }
}
