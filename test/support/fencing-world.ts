import { expect } from '@jest/globals';
import { SingleCall } from '../../lib/core/port/single-call.js';
import { Claim } from '../../lib/core/port/claim.js';
import type { Clock } from '../../lib/core/time/clock.js';
import type { Lock } from '../../lib/core/api/lock.js';
import type { Redlock } from '../../lib/core/redlock.js';
import { MemoryPool } from './memory-pool.js';
import { ScriptedNode } from './scripted-node.js';

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
    const nodes = this.pool.memory.map((node) => new ScriptedNode(node, this.pool.clock));
    for (const nodeIndex of without) nodes[nodeIndex]!.fail('down');
    return this.pool.client({ nodes, clock: this.ahead(skew) }).redlock;
  };

  take = (redlock: Redlock, resource: string | string[] = 'a', options = {}): Promise<Lock> =>
    this.pool.clock.until(redlock.acquire(resource, options));

  free = (lock: Lock): Promise<void> => this.pool.clock.until(lock.release());

  proposal = (): number => this.pool.clock.now().wall * 1_000;

  fences = (resource = 'a'): (number | undefined)[] => this.pool.memory.map((node) => node.fence(resource));

  raises = (): number[] => this.pool.nodes.map((node) => node.callsOf('raise').length);

  /** Another process has been there, so that these nodes count from here on. */
  count = (fence: number, nodeIndexes: readonly number[], resource = 'a'): void => {
    for (const nodeIndex of nodeIndexes) {
      const question = new SingleCall<never>(new Claim([resource], 'gone'), 0);
      question.proposal = fence;
      this.pool.memory[nodeIndex]!.raise(question, nodeIndex);
    }
  };
}

export function expectGrowing(tokens: readonly number[]): void {
  tokens.slice(1).forEach((token, index) => expect(token).toBeGreaterThan(tokens[index]!));
}
