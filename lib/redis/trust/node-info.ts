import type { Redis } from 'ioredis';
import type { Clock } from '../../core/time/clock.js';

/** Matches the errors of a node that cannot answer INFO for a time. A missing right is another error. */
const NOT_NOW = /^(BUSY|LOADING|MASTERDOWN) /;
/** Ms between two attempts. */
const ASK_AGAIN_AFTER = 100;
const CLOSED = 'the pool was closed';

/** Asks a node for INFO until it can answer. Otherwise nobody would know which server it is, and a server with two addresses would vote twice. */
export class NodeInfo {
  #stopPause = (): void => undefined;
  #giveUp = (_reason: Error): void => undefined;
  #isClosed = false;

  constructor(private readonly clock: Pick<Clock, 'schedule'>) {}

  /**
   * Returns the reply to INFO. While the node is too busy to answer, `close` rejects the promise, and so does a call of `ask` for a new
   * connection: the start of a node must not wait for a question that nobody asks any more.
   */
  async ask(redis: Pick<Redis, 'info'>): Promise<string> {
    this.#end('it is asked on a new connection');
    try {
      return await redis.info();
    } catch (error) {
      if (!NOT_NOW.test((error as Error).message)) throw error;
    }
    await this.#pause();
    return this.ask(redis);
  }

  /** Leaves no timer. */
  close(): void {
    this.#isClosed = true;
    this.#end(CLOSED);
  }

  #end(reason: string): void {
    this.#stopPause();
    this.#giveUp(new Error(reason));
  }

  #pause(): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error(CLOSED));
    return new Promise((resolve, reject) => {
      this.#stopPause = this.clock.schedule(ASK_AGAIN_AFTER, resolve);
      this.#giveUp = reject;
    });
  }
}
