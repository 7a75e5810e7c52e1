import { Votes } from '../../lib/core/quorum/votes.js';
import { Validity } from '../../lib/core/time/validity.js';
import { VirtualClock } from './virtual-clock.js';

/** How many of so many nodes are a quorum. */
export const QUORUMS: readonly (readonly [nodes: number, quorum: number])[] = [
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 3],
  [5, 3],
  [7, 4],
];

/** The votes of so many nodes, on a virtual clock. */
export class BallotBox {
  readonly clock = new VirtualClock();
  readonly votes: Votes;

  constructor(size = 5) {
    this.votes = new Votes(size);
  }

  /** Ms that a quorum of the votes is good for. */
  get left(): number | undefined {
    return this.votes.quorum(this.clock)?.remaining(this.clock);
  }

  /** A vote that is good for so many ms from now. */
  lasting(ms: number, fence = 1) {
    return { validity: new Validity(this.clock.now(), ms), fence };
  }

  /** Has a node grant such a vote. */
  grant(nodeIndex: number, ms: number, fence?: number): void {
    this.votes.grant(nodeIndex, this.lasting(ms, fence));
  }
}
