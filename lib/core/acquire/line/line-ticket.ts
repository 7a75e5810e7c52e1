import type { Grant } from '../../port/claim.js';
import type { AcquireRequest } from '../polling.js';
import { TOKENS_PER_VOTE } from '../../port/fencing.js';
import type { AcquireAnswer } from '../../port/lock-node.js';
import type { NodePool } from '../../quorum/node-pool.js';
import { OwnClaim } from '../../quorum/own-claim.js';
import { Place, type Waiter } from './place.js';
import { Surrender } from './yielding.js';
import { Validity } from '../../time/validity.js';
import { Votes } from '../../quorum/votes.js';

/** Thrown if a command on its way to a node may release the claim, and the value cannot be replaced because other parts of the lock share it. */
export class ValueSpoiled extends Error {}

/** A waiter whose listener knows whether other callers of the process want the same resource, so that the lock may pass to them. */
export interface Candidate extends Waiter {
  readonly listener: { readonly isContended: boolean };
}

/** The claim under which a waiter stands in the lines of all nodes, its place there, and the votes for the claim. */
export class LineTicket {
  readonly place: Place;
  readonly claim: OwnClaim;
  readonly votes: Votes;

  constructor(
    private readonly pool: NodePool,
    private readonly request: AcquireRequest,
    private readonly waiter: Candidate,
  ) {
    const { budget, resources, terms } = request;
    const { arrival } = budget;
    const tokens = waiter.listener.isContended && request.value === undefined ? TOKENS_PER_VOTE : 1;
    this.place = new Place(
      { date: pool.dateOf(arrival), monotonic: arrival.monotonic, ttl: terms.ttl, tokens },
      waiter,
    );
    this.claim = new OwnClaim(resources, request.value ?? pool.random.value(), this.place);
    this.votes = new Votes(pool.nodes.length);
  }

  /** Counts the vote that a node granted while the caller waited. */
  grant(nodeIndex: number, { since, fence, oldest }: Grant): void {
    const { ttl, driftFactor } = this.request.terms;
    const validity = Validity.of(since, ttl, driftFactor);
    this.votes.grantMeanwhile(nodeIndex, { validity, fence, oldest, tokens: TOKENS_PER_VOTE });
  }

  /** Counts the answer of a node to a question; a vote lasts as long as `validity`. */
  note(nodeIndex: number, answer: AcquireAnswer, validity: Validity): void {
    if (answer.kind !== 'granted') return this.votes.refuse(nodeIndex, answer.kind);
    const { fence, oldest } = answer;
    this.votes.grant(nodeIndex, { validity, fence, oldest, tokens: this.claim.tokens });
  }

  /** Returns the object that gives the votes of this ticket away. It calls `yielded` each time a node has answered a yield. */
  surrender(yielded: () => void): Surrender {
    return new Surrender(this.pool, this.claim, { votes: this.votes, ttl: this.request.terms.ttl, yielded });
  }

  /**
   * Returns the ticket for the next round: this one or, if its claim is spoiled, a new one with a value that is in no earlier command.
   * @throws ValueSpoiled if the claim is spoiled and its value cannot change, because other parts of the lock share it
   */
  next(): LineTicket {
    if (!this.claim.isSpoiled) return this;
    if (this.request.value !== undefined) throw new ValueSpoiled();
    this.place.leave();
    this.pool.release(this.claim, this.request.terms.ttl);
    return new LineTicket(this.pool, this.request, this.waiter);
  }
}
