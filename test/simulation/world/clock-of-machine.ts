import type { Clock, Moment } from '../../../lib/core/time/clock.js';
import type { Machine } from './machine.js';

/** The clocks of a machine as they are; others change something about them. */
export class ClockOfMachine implements Clock {
  constructor(protected readonly machine: Machine) {}

  now(): Moment {
    return this.machine.now();
  }

  schedule(delay: number, task: () => void): () => void {
    return this.machine.schedule(delay, task);
  }

  afterInput(task: () => void): void {
    this.machine.afterInput(task);
  }

  nextTurn(task: () => void): void {
    this.machine.nextTurn(task);
  }

  whenResumed(tell: () => void): void {
    this.machine.whenResumed(tell);
  }
}
