import type { Clock } from '../engine/clock.js';

/** How many messages that nobody waits for are borne within `WINDOW` ms: callers that give up at the same moment leave many behind. */
const MOST = 10_000;
const WINDOW = 10_000;

/** Counts the messages of a node that nobody waits for: grants for callers that gave up, forged ones, and whatever else cannot be used. */
export class Strays {
  #since = -Infinity;
  #count = 0;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  get isFlood(): boolean {
    return this.#count > MOST;
  }

  count(): void {
    const now = this.clock.now().monotonic;
    if (now - this.#since >= WINDOW) [this.#since, this.#count] = [now, 0];
    this.#count += 1;
  }
}
