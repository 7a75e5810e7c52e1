import { Claim, type Grant } from '../../port/claim.js';
import type { AcquireRequest } from '../polling.js';
import { TOKENS_PER_VOTE } from '../../port/fencing.js';
import type { AcquireAnswer } from '../../port/lock-node.js';
import type { NodePool } from '../../quorum/node-pool.js';
import { Place, type Waiter } from './place.js';
import { Surrender } from './yielding.js';
import { Validity } from '../../time/validity.js';
import { Votes } from '../../quorum/votes.js';

/** What is on its way to the nodes may give away what is held under a value that other parts of a lock have, too. */
export class ValueSpoiled extends Error {}

/** A waiter, and who knows whether others of its process want the same, to whom its lock may pass. */
export interface Candidate extends Waiter {
  readonly listener: { readonly isContended: boolean };
}

/** One name under which a waiter stands in the lines of all nodes, and the votes for it. */
export class LineTicket {
  readonly place: Place;
  readonly claim: Claim;
  readonly votes: Votes;

  constructor(
    private readonly pool: NodePool,
    private readonly request: AcquireRequest,
    private readonly waiter: Candidate,
  ) {
    const { budget, resources, terms } = request;
    const { arrival } = budget;
    this.place = new Place({ date: pool.dateOf(arrival), monotonic: arrival.monotonic }, terms.ttl, waiter);
    this.claim = new Claim(resources, request.value ?? pool.random.value(), this.place);
    if (waiter.listener.isContended && request.value === undefined) this.claim.tokens = TOKENS_PER_VOTE;
    this.votes = new Votes(pool.nodes.length);
  }

  /** A node gave its vote while we waited. */
  grant(nodeIndex: number, { since, fence, oldest }: Grant): void {
    const { ttl, driftFactor } = this.request.terms;
    const validity = Validity.of(since, ttl, driftFactor);
    this.votes.grantMeanwhile(nodeIndex, { validity, fence, oldest, tokens: TOKENS_PER_VOTE });
  }

  /** A node answered to what it was asked; a vote of it lasts as long as `validity`. */
  note(nodeIndex: number, answer: AcquireAnswer, validity: Validity): void {
    if (answer.kind !== 'granted') return this.votes.refuse(nodeIndex, answer.kind);
    const { fence, oldest } = answer;
    this.votes.grant(nodeIndex, { validity, fence, oldest, tokens: this.claim.tokens });
  }

  /** What gives its votes away, and calls `yielded` as often as it is known what came of one. */
  surrender(yielded: () => void): Surrender {
    return new Surrender(this.pool, this.claim, { votes: this.votes, ttl: this.request.terms.ttl, yielded });
  }

  /**
   * The next ticket: this one, or, where it is spoiled, one under a name that nothing on its way to the nodes knows.
   * @throws ValueSpoiled where the name is not ours to choose
   */
  next(): LineTicket {
    if (!this.claim.spoiled) return this;
    if (this.request.value !== undefined) throw new ValueSpoiled();
    this.place.leave();
    this.pool.release(this.claim, this.request.terms.ttl);
    return new LineTicket(this.pool, this.request, this.waiter);
  }
}
