import { Task } from '../../lib/core/agenda.js';

class Act extends Task {
  constructor(private readonly act: () => void) {
    super();
  }

  due(): void {
    this.act();
  }
}

/** A task for an agenda that does `act`. */
export function taskOf(act: () => void): Task {
  return new Act(act);
}
