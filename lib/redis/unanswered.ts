import type { Moment } from '../core/clock.js';
import type { Reply } from './wire-command.js';

/** A command without an answer. */
export interface Waiting {
  readonly since: Moment;
  settle: ((reply: Reply) => void) | undefined;
}

const TIDY_FROM = 64;

/** The commands of a connection that wait for their answers; these come in order. */
export class Unanswered {
  #queue: Waiting[] = [];
  #first = 0;
  #lastAnswered: Waiting | undefined;

  /** When the latest command was sent whose answer is here. */
  get lastAnswered(): Moment | undefined {
    return this.#lastAnswered?.since;
  }

  get oldest(): Waiting | undefined {
    return this.#queue[this.#first];
  }

  /** How many there are at most; some of them may have been answered out of order. */
  get size(): number {
    return this.#queue.length - this.#first;
  }

  /** A new connection: nothing has been answered on it. */
  begin(): void {
    this.#lastAnswered = undefined;
  }

  add(since: Moment, settle: (reply: Reply) => void): Waiting {
    const waiting = { since, settle };
    this.#queue.push(waiting);
    return waiting;
  }

  /** False where it was answered before. */
  answer(waiting: Waiting, reply: Reply): boolean {
    const { settle } = waiting;
    if (settle === undefined) return false;
    waiting.settle = undefined;
    this.#lastAnswered = waiting;
    this.#passAnswered();
    settle(reply);
    return true;
  }

  answerAll(reply: Reply): void {
    const waiting = this.#queue.slice(this.#first);
    for (const one of waiting) this.answer(one, reply);
  }

  #passAnswered(): void {
    while (this.#first < this.#queue.length && !this.#queue[this.#first]!.settle) this.#first += 1;
    if (this.#first < TIDY_FROM && this.#first < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#first);
    this.#first = 0;
  }
}
