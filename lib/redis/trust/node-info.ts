import type { Redis } from 'ioredis';
import type { Clock } from '../../core/time/clock.js';

/** What a node answers to INFO that can tell nobody anything for a time; not that its user may not ask. */
const NOT_NOW = /^(BUSY|LOADING|MASTERDOWN) /;
/** Ms. */
const ASK_AGAIN_AFTER = 100;

/** What a node says to INFO, asked until it can: a server that has two addresses would vote twice if it was not known who it is. */
export class NodeInfo {
  #stopPause = (): void => undefined;
  #isClosed = false;

  constructor(private readonly clock: Pick<Clock, 'schedule'>) {}

  /** Never settles where it is asked once more, or closed, while the node is too busy to say. */
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
