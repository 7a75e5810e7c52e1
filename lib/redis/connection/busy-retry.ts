import type { Clock } from '../../engine/clock.js';

/** Matches the errors of a node that cannot answer for a time. A missing permission is another error. */
const NOT_NOW = /^(BUSY|LOADING|MASTERDOWN) /;
/** Ms between two attempts. */
const ASK_AGAIN_AFTER = 100;
const CLOSED = 'the pool was closed';

/**
 * Asks a node a question until it can answer. What is asked only once on each connection would otherwise stay unanswered until the connection
 * ends, long after the node has become able to answer.
 */
export class BusyRetry {
  #stopPause = (): void => undefined;
  #giveUp = (_reason: Error): void => undefined;
  #isClosed = false;

  constructor(private readonly clock: Pick<Clock, 'schedule'>) {}

  /**
   * Returns the answer. While the node is too busy for it, `end` and `close` reject the promise, and so does a call of `ask` for a new connection:
   * the start of a node must not wait for a question that nobody asks any more.
   */
  async ask<A>(question: () => Promise<A>): Promise<A> {
    this.end('it is asked on a new connection');
    try {
      return await question();
    } catch (error) {
      if (!NOT_NOW.test((error as Error).message)) throw error;
    }
    await this.#pause();
    return this.ask(question);
  }

  /** Leaves no timer until something is asked. */
  end(reason: string): void {
    this.#stopPause();
    this.#giveUp(new Error(reason));
  }

  /** Leaves no timer for good. */
  close(): void {
    this.#isClosed = true;
    this.end(CLOSED);
  }

  #pause(): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error(CLOSED));
    return new Promise((resolve, reject) => {
      this.#stopPause = this.clock.schedule(ASK_AGAIN_AFTER, resolve);
      this.#giveUp = reject;
    });
  }
}
