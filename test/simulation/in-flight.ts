import type { Clock, Moment } from '../../lib/core/clock.js';

/** A command without an answer. */
export interface Waiting {
  readonly since: Moment;
  readonly settle: (answer: { readonly kind: string }) => void;
}

/** The commands of one connection that wait for their answers. */
export class InFlight<T extends Waiting> {
  #waiting: T[] = [];
  #lastAnswered: Moment | undefined;

  constructor(private readonly clock: Clock) {}

  /** When the latest command was sent whose answer is here. */
  get lastAnswered(): Moment | undefined {
    return this.#lastAnswered;
  }

  /** Ms since the oldest of them was sent. */
  get silence(): number {
    const [oldest] = this.#waiting;
    return oldest ? this.clock.now().monotonic - oldest.since.monotonic : 0;
  }

  add(waiting: T): void {
    this.#waiting.push(waiting);
  }

  answer(waiting: T, answer: { readonly kind: string }): void {
    const index = this.#waiting.indexOf(waiting);
    if (index === -1) return;
    this.#waiting.splice(index, 1);
    this.#lastAnswered = waiting.since;
    waiting.settle(answer);
  }

  /** All of them, on a connection that is no more. */
  end(): T[] {
    this.#lastAnswered = undefined;
    return this.#waiting.splice(0);
  }
}
