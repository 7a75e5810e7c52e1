import type { Clock, Moment } from '../../lib/core/clock.js';
import type { Machine } from './machine.js';

/** The clock of the nodes of one client: what they send at the end of a turn leaves in one event, which takes less time than one each. */
export class BatchTurn implements Clock {
  #tasks: (() => void)[] = [];

  constructor(private readonly machine: Machine) {}

  now(): Moment {
    return this.machine.now();
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
    this.#tasks.push(task);
    if (this.#tasks.length === 1) this.machine.nextTurn(this.#run);
  }

  readonly #run = (): void => {
    const tasks = this.#tasks;
    this.#tasks = [];
    for (const task of tasks) task();
  };
}
