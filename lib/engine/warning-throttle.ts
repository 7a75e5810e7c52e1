import type { Clock } from './clock.js';

/** How many warnings of one node are passed on within `WINDOW` ms. */
const MOST = 10;
const WINDOW = 60_000;

/** Keeps a node from flooding the log and the listeners with warnings: ten a minute show that somebody has to look at it. */
export class WarningThrottle {
  readonly #windows = new Map<string, { since: number; count: number }>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Returns whether a warning of this node is passed on. */
  passes(node: string): boolean {
    const now = this.clock.now().monotonic;
    const known = this.#windows.get(node);
    const window = known === undefined || now - known.since >= WINDOW ? { since: now, count: 0 } : known;
    this.#windows.set(node, window);
    window.count += 1;
    return window.count <= MOST;
  }
}
