import { Claim, type Grant } from './claim.js';
import type { Contest } from './contention.js';
import { TOKENS_PER_VOTE } from './fencing.js';
import type { AcquireAnswer } from './lock-node.js';
import type { NodePool } from './node-pool.js';
import { Place, type Waiter } from './place.js';
import { Surrender } from './surrender.js';
import { Validity } from './validity.js';
import { Votes } from './votes.js';

/** What is on its way to the nodes may give away what is held under a value that other parts of a lock have, too. */
export class ValueSpoiled extends Error {}

/** A waiter, and who knows whether others of its process want the same, to whom its lock may pass. */
export interface Candidate extends Waiter {
  readonly listener: { readonly isContended: boolean };
}

/** One name under which a waiter stands in the lines of all nodes, and the votes for it. */
export class Candidacy {
  readonly place: Place;
  readonly claim: Claim;
  readonly votes: Votes;

  constructor(
    private readonly pool: NodePool,
    private readonly contest: Contest,
    private readonly waiter: Candidate,
  ) {
    const { patience, resources, terms } = contest;
    const { arrival } = patience;
    this.place = new Place({ date: pool.dateOf(arrival), monotonic: arrival.monotonic }, terms.ttl, waiter);
    this.claim = new Claim(resources, contest.value ?? pool.random.value(), this.place);
    if (waiter.listener.isContended && contest.value === undefined) this.claim.tokens = TOKENS_PER_VOTE;
    this.votes = new Votes(pool.nodes.length);
  }

  /** A node gave its vote while we waited. */
  grant(seat: number, { since, fence, oldest }: Grant): void {
    const { ttl, driftFactor } = this.contest.terms;
    const validity = Validity.of(since, ttl, driftFactor);
    this.votes.grantMeanwhile(seat, { validity, fence, oldest, tokens: TOKENS_PER_VOTE });
  }

  /** A node answered to what it was asked; a vote of it lasts as long as `validity`. */
  note(seat: number, answer: AcquireAnswer, validity: Validity): void {
    if (answer.kind !== 'granted') return this.votes.refuse(seat, answer.kind);
    const { fence, oldest } = answer;
    this.votes.grant(seat, { validity, fence, oldest, tokens: this.claim.tokens });
  }

  /** What gives its votes away, and calls `yielded` as often as it is known what came of one. */
  surrender(yielded: () => void): Surrender {
    return new Surrender(this.pool, this.claim, { votes: this.votes, ttl: this.contest.terms.ttl, yielded });
  }

  /**
   * The next candidacy: this one, or, where it is spoiled, one under a name that nothing on its way to the nodes knows.
   * @throws ValueSpoiled where the name is not ours to choose
   */
  next(): Candidacy {
    if (!this.claim.spoiled) return this;
    if (this.contest.value !== undefined) throw new ValueSpoiled();
    this.place.leave();
    this.pool.release(this.claim, this.contest.terms.ttl);
    return new Candidacy(this.pool, this.contest, this.waiter);
  }
}
