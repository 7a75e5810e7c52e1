import type { Clock, Moment } from '../../lib/core/time/clock.js';
import { TimerQueue, type TimedTask } from '../../lib/core/time/timer-queue.js';
import { taskOf } from './task.js';
import { VirtualClock } from './virtual-clock.js';

/** A timer queue on a virtual clock, and when its tasks ran. */
export class NotedQueue {
  readonly queue: TimerQueue;
  /** What ran, and when, in order. */
  readonly done: string[] = [];

  /** The queue asks `seen` where that is not the clock itself. */
  constructor(
    readonly clock = new VirtualClock(),
    seen: Clock = clock,
  ) {
    this.queue = new TimerQueue(seen);
  }

  /** A task that notes when it runs. */
  task(name: string): TimedTask {
    return taskOf(() => void this.done.push(`${name} at ${this.clock.now().monotonic}`));
  }

  /** Adds a task that notes when it runs, so many ms from now, or from another moment. */
  add(delay: number, name: string, since?: Moment): void {
    this.queue.add(delay, this.task(name), since);
  }
}
