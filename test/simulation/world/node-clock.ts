import type { Moment } from '../../../lib/core/time/clock.js';
import { ClockOfMachine } from './clock-of-machine.js';

/** The clocks of a machine, of which the wall clock may be set forward by more than what all others are wrong. */
export class NodeClock extends ClockOfMachine {
  /** Ms. */
  forward = 0;

  override now(): Moment {
    const moment = this.machine.now();
    return this.forward === 0 ? moment : { monotonic: moment.monotonic, wall: moment.wall + this.forward };
  }
}
