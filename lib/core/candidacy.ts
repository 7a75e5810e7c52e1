import { Claim } from './claim.js';
import type { Contest } from './contention.js';
import { GRACE } from './hand-off.js';
import type { NodePool } from './node-pool.js';
import { Place, type Waiter } from './place.js';
import { Votes } from './votes.js';

/** One name under which a waiter stands in the lines of all nodes, and the votes for it. */
export class Candidacy {
  readonly place: Place;
  readonly claim: Claim;
  readonly votes: Votes;

  constructor(
    private readonly pool: NodePool,
    private readonly contest: Contest,
    private readonly waiter: Waiter,
  ) {
    const { patience, resources, terms } = contest;
    this.place = new Place(Math.round(patience.arrived * 1_000), Math.min(GRACE, terms.ttl), waiter);
    this.claim = new Claim(resources, pool.random.value(), this.place);
    this.votes = new Votes(pool.nodes.length);
  }

  /** The next candidacy: this one, or, where it is spoiled, one under a name that nothing on its way to the nodes knows. */
  next(): Candidacy {
    if (!this.claim.spoiled) return this;
    this.place.leave();
    this.pool.release(this.claim, this.contest.terms.ttl);
    return new Candidacy(this.pool, this.contest, this.waiter);
  }
}
