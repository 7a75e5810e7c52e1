import { PASSING_WINDOW } from './hand-off.js';

/**
 * The time for which a process has a lock, from caller to caller. Those who come next to its end count as having come with that: who
 * held the lock asks again once his release is answered at the earliest, and the others asked one by one while it passed between them.
 * Each by his own date, they would be served in parts, with those who came elsewhere meanwhile in between, and for good: processes
 * that take turns would have the lock for one caller at a time.
 */
export class Tenure {
  /** Ms on the wall clock when the process gave the lock back while others waited here. */
  #end: number | undefined;

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  end(wall: number): void {
    this.#end = wall;
  }

  /** Whether it is not over, or was a moment ago. */
  includes(came: number): boolean {
    return this.#end === undefined || Math.abs(came - this.#end) <= PASSING_WINDOW;
  }

  /** Ms on the wall clock when somebody who came in it counts as having come. */
  dateOf(came: number): number {
    return this.#end !== undefined && this.includes(came) ? this.#end : came;
  }
}
