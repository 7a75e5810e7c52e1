import type { Claim } from '../../lib/core/port/claim.js';
import type { LockNode } from '../../lib/core/port/lock-node.js';
import { TRUSTING } from './trust.js';
import { VirtualClock } from './virtual-clock.js';

type Asked = Pick<LockNode, 'acquire'>;

/** The processes that ask a node in memory on a virtual clock, of which some die while they wait. */
export class MortalProcesses {
  readonly clock = new VirtualClock();
  /** For a node that trusts, and that takes the dead out of its lines. */
  readonly terms = { ...TRUSTING, listens: (claim: Claim): boolean => !this.#dead.has(claim) };
  readonly #dead = new Set<Claim>();

  /** What the contract needs of the time and of the processes around this node. */
  around(node: LockNode) {
    return {
      node,
      now: () => this.clock.now(),
      pass: (ms: number) => this.clock.advance(ms),
      process: async () => this.#oneOf(node),
      stop: () => node.close(),
    };
  }

  #oneOf(node: Asked): { node: Asked; die(): Promise<void> } {
    const claims: Claim[] = [];
    const acquire: Asked['acquire'] = (question, nodeIndex) => {
      claims.push(question.claim);
      node.acquire(question, nodeIndex);
    };
    return { node: { acquire }, die: async () => claims.forEach((claim) => this.#dead.add(claim)) };
  }
}
