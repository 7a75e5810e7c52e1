import type { Clock, Moment } from '../../lib/core/clock.js';
import type { Machine } from './machine.js';

/** The clocks of a machine, of which the wall clock may be set forward by more than what all others are wrong. */
export class NodeClock implements Clock {
  /** Ms. */
  forward = 0;

  constructor(private readonly machine: Machine) {}

  now(): Moment {
    const moment = this.machine.now();
    return this.forward === 0 ? moment : { monotonic: moment.monotonic, wall: moment.wall + this.forward };
  }

  schedule(delay: number, task: () => void): () => void {
    return this.machine.schedule(delay, task);
  }

  afterInput(task: () => void): void {
    this.machine.afterInput(task);
  }

  afterMicrotasks(task: () => void): void {
    this.machine.afterMicrotasks(task);
  }

  nextTurn(task: () => void): void {
    this.machine.nextTurn(task);
  }
}
