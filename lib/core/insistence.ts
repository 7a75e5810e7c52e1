import { elapsed, type Moment } from './clock.js';
import { GRACE } from './hand-off.js';
import type { NodePool } from './node-pool.js';
import { isSplit, type Lost } from './outcome.js';

/**
 * For how long a waiter insists on its votes where they are split. Longer than the grace of one that has died meanwhile, which needs
 * nothing but time; where nodes see the waiters in different orders, each would insist for ever.
 */
export class Insistence {
  /** Since when they are split. */
  #since: Moment | undefined;

  constructor(private readonly pool: Pick<NodePool, 'clock' | 'random'>) {}

  /** Whether it ends after a round that came to this: at random, so that of rivals not all give way at once. */
  endsAfter(outcome: Lost): boolean {
    const { clock, random } = this.pool;
    if (!isSplit(outcome)) {
      this.#since = undefined;
      return false;
    }
    const now = clock.now();
    this.#since ??= now;
    return elapsed(this.#since, now) > GRACE && random.fraction() < 0.5;
  }
}
