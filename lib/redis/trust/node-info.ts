import type { Redis } from 'ioredis';
import type { Clock } from '../../core/time/clock.js';

/** Matches the errors of a node that cannot answer INFO for a time. A missing right is another error. */
const NOT_NOW = /^(BUSY|LOADING|MASTERDOWN) /;
/** Ms between two attempts. */
const ASK_AGAIN_AFTER = 100;

/** Asks a node for INFO until it can answer. Otherwise nobody would know which server it is, and a server with two addresses would vote twice. */
export class NodeInfo {
  #stopPause = (): void => undefined;
  #isClosed = false;

  constructor(private readonly clock: Pick<Clock, 'schedule'>) {}

  /** Returns the reply to INFO. The promise never settles if `ask` or `close` is called while the node is too busy to answer. */
  async ask(redis: Pick<Redis, 'info'>): Promise<string> {
    this.#stopPause();
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
    this.#stopPause();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#isClosed) this.#stopPause = this.clock.schedule(ASK_AGAIN_AFTER, resolve);
    });
  }
}
