import { expect } from '@jest/globals';
import type { Clock } from '../../lib/engine/clock.js';
import type { Lock } from '../../lib/engine/lock.js';
import type { Redlock } from '../../lib/engine/redlock.js';
import { MemoryPool } from './memory-pool.js';

/** Masters in memory whose fence counters a test looks at. */
export class FencingWorld {
  pool = new MemoryPool(3);

  /** A new world of so many masters. */
  renew(size = 3): void {
    this.pool = new MemoryPool(size);
  }

  /**
   * The clock of a machine whose wall clock is so many ms ahead of those of the nodes; where it waits in line not above 0, since
   * nodes in memory tell on their own clock since when they have granted.
   */
  ahead = (ms: number): Clock => {
    const { clock } = this.pool;
    return {
      now: () => ({ monotonic: clock.now().monotonic, wall: clock.now().wall + ms }),
      schedule: (delay, task) => clock.schedule(delay, task),
      afterInput: (task) => clock.afterInput(task),
      nextTurn: (task) => clock.nextTurn(task),
    };
  };

  /** A client with its own way to the nodes, of which it reaches only some. */
  clientOf = ({ skew = 0, without = [] as readonly number[] } = {}): Redlock => {
    return this.pool.client({ clock: this.ahead(skew) }, without).redlock;
  };

  take = (redlock: Redlock, resource: string | string[] = 'a', options = {}): Promise<Lock> =>
    this.pool.clock.until(redlock.acquire(resource, options));

  free = (lock: Lock): Promise<void> => this.pool.clock.until(lock.release());

  proposal = (): number => this.pool.clock.now().wall * 1_000;

  fences = (resource = 'a'): (number | undefined)[] => this.pool.memory.map((node) => node.data.lastToken(resource));

  raises = (): number[] => this.pool.nodes.map((node) => node.callsOf('raise').length);

  /** Another process has been there, so that these nodes count from here on. */
  count = (fence: number, nodeIndexes: readonly number[], resource = 'a'): void => {
    for (const nodeIndex of nodeIndexes) {
      this.pool.memory[nodeIndex]!.data.execute('gone', [{ kind: 'raise', resource, value: 'gone', token: fence }]);
    }
  };
}

export function expectGrowing(tokens: readonly number[]): void {
  tokens.slice(1).forEach((token, index) => expect(token).toBeGreaterThan(tokens[index]!));
}
