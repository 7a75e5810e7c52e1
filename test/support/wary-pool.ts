import type { LockEvent } from '../../lib/core/api/events.js';
import type { QuorumNotReachedError } from '../../lib/core/api/errors.js';
import { Redlock } from '../../lib/core/redlock.js';
import { MemoryNode } from '../../lib/memory/memory-node.js';
import { ScriptedNode } from './scripted-node.js';
import { SeededRandom } from './seeded-random.js';
import { VirtualClock } from './virtual-clock.js';

export const MAX_TTL = 2_000;
export const ONCE = { waitTimeout: 0 };

/** Masters in memory that may have forgotten locks, and clients that mind. */
export class WaryPool {
  readonly clock = new VirtualClock();
  readonly memory: readonly MemoryNode[];
  readonly nodes: readonly ScriptedNode[];
  readonly events: LockEvent[] = [];
  readonly redlock: Redlock;
  #clients = 0;

  /** Of nodes that nobody has asked for anything yet. */
  constructor(restartQuarantine = true) {
    const terms = { maxTtl: MAX_TTL, restartQuarantine };
    this.memory = [1, 2, 3].map((index) => new MemoryNode(`node-${index}`, this.clock, terms));
    this.nodes = this.memory.map((node) => new ScriptedNode(node, this.clock));
    this.redlock = this.client();
  }

  /** Of nodes that have been there for long. */
  static async trusted(restartQuarantine = true): Promise<WaryPool> {
    const pool = new WaryPool(restartQuarantine);
    await pool.redlock.open();
    await pool.clock.advance(MAX_TTL);
    return pool;
  }

  client(maxTtl = MAX_TTL): Redlock {
    this.#clients += 1;
    const random = new SeededRandom(this.#clients);
    const listener = (event: LockEvent): void => void this.events.push(event);
    const defaults = { quorumTimeout: Infinity };
    return new Redlock({ nodes: this.nodes, clock: this.clock, random, maxTtl, listener, defaults });
  }

  restart(...nodeIndexes: number[]): void {
    for (const nodeIndex of nodeIndexes) this.memory[nodeIndex]!.restart();
  }

  /** Restarts all nodes with what they have, as if they had that on a disk. */
  setBack(): void {
    const disks = this.memory.map((node) => node.snapshot());
    this.memory.forEach((node, nodeIndex) => node.restart(disks[nodeIndex]));
  }

  owners(resource: string): (string | undefined)[] {
    return this.memory.map((node) => node.get(resource));
  }

  /** The error of a caller that does not wait. */
  async refusal(resource: string | string[], client = this.redlock): Promise<QuorumNotReachedError> {
    const refused = client.acquire(resource, ONCE).then(
      () => Promise.reject(new Error('it was given the lock')),
      (error: unknown) => error as QuorumNotReachedError,
    );
    return this.clock.until(refused);
  }
}
