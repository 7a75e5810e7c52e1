import { TimedTask } from '../../lib/core/time/timer-queue.js';

class Act extends TimedTask {
  constructor(private readonly act: () => void) {
    super();
  }

  due(): void {
    this.act();
  }
}

/** A task for an timer queue that does `act`. */
export function taskOf(act: () => void): TimedTask {
  return new Act(act);
}
