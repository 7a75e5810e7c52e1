import { ClockOfMachine } from './clock-of-machine.js';

/** The clock of the nodes of one client: what they send at the end of a turn leaves in one event, which takes less time than one each. */
export class BatchTurn extends ClockOfMachine {
  #tasks: (() => void)[] = [];

  override nextTurn(task: () => void): void {
    this.#tasks.push(task);
    if (this.#tasks.length === 1) this.machine.nextTurn(this.#run);
  }

  readonly #run = (): void => {
    const tasks = this.#tasks;
    this.#tasks = [];
    for (const task of tasks) task();
  };
}
