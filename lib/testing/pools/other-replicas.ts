import { LEADER } from '../../engine/resources.js';
import type { PoolInMemory } from './pool-in-memory.js';

/** A resource that another holder has. */
export interface HeldElsewhere {
  /** The name of the resource. */
  readonly resource: string;
  /** Releases the resource, or all slots that this holder has of it. The next waiter gets it. */
  release(): void;
  /** Releases the resource, for `using`. */
  [Symbol.dispose](): void;
}

/** What another replica holds: one resource, or some of its slots. */
interface Holding {
  readonly resource: string;
  /** The names on the nodes. */
  readonly names: readonly string[];
  /** Ms. */
  readonly ttl: number;
}

/** Other replicas, whose part the test plays. */
export class OtherReplicas {
  /** With the value that each of them has on the nodes. */
  readonly #holds = new Map<HeldElsewhere, string>();
  #count = 0;

  constructor(private readonly poolUnderTest: () => PoolInMemory) {}

  hold({ resource, names, ttl }: Holding): HeldElsewhere {
    const { nodes } = this.poolUnderTest();
    this.#count += 1;
    const isLeader = resource.startsWith(LEADER);
    // A leader has the mark of a process, so that `leader(name)` can tell who leads.
    const value = isLeader ? `another@replica#${this.#count}:test` : `somebody else, ${this.#count}`;
    for (const node of nodes) for (const name of names) node.plant(name, value, ttl);
    if (isLeader) {
      const term = Math.max(...nodes.map((node) => node.nextToken(resource)));
      for (const node of nodes) node.plantTerm(resource, value, term);
    }
    const release = (): void => {
      if (!this.#holds.delete(held)) return;
      for (const node of nodes) for (const name of names) node.unplant(name, value);
    };
    const held = { resource, release, [Symbol.dispose]: release };
    this.#holds.set(held, value);
    return held;
  }

  /** Returns whether another replica has the resource now: a ttl may be over. */
  have(resource: string): boolean {
    const owner = this.poolUnderTest().ownerOf(resource);
    return owner !== undefined && [...this.#holds.values()].includes(owner);
  }

  /** Releases all that they hold of a resource; without one, of all resources. */
  release(resource?: string): void {
    for (const held of this.#holds.keys()) if (resource === undefined || held.resource === resource) held.release();
  }
}
