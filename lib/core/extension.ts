import { Aside } from './aside.js';
import type { LeaseTerms } from './attempt.js';
import type { Ballot, Decision } from './ballot.js';
import type { Claim } from './claim.js';
import { QuorumNotReachedError } from './errors.js';
import { proposalAt } from './fencing.js';
import { decideInTime } from './in-time.js';
import type { AcquireAnswer, ExtendAnswer } from './lock-node.js';
import { outcomeOf } from './node-outcome.js';
import type { NodePool } from './node-pool.js';
import type { Patience } from './patience.js';
import { quorumOf } from './quorum.js';
import { Validity } from './validity.js';

/** What came of asking every node once to extend a claim. */
export type Extension =
  | { readonly kind: 'extended'; readonly validity: Validity }
  | { readonly kind: 'gone'; readonly reason: string }
  | { readonly kind: 'unproven'; readonly error: QuorumNotReachedError };

export interface Extending {
  readonly claim: Claim;
  readonly terms: LeaseTerms;
  /** Told before anything is sent until when the lease lasts if this succeeds. */
  readonly onSend: (validity: Validity) => void;
  /** Whether nodes that lost the key may still be won back. */
  readonly isHeld: () => boolean;
  /** That of the caller who waits for it, if there is one. */
  readonly patience?: Patience;
}

/** Asks every node once; silence is not loss, but a majority that says it has no such key is. */
export async function extendOnce(pool: NodePool, extending: Extending): Promise<Extension> {
  const { claim, terms } = extending;
  const validity = Validity.of(pool.clock.now(), terms.ttl, terms.driftFactor);
  extending.onSend(validity);
  let proven = false;
  const heal = (seat: number, answer: ExtendAnswer | undefined): void => {
    if (proven && answer?.kind === 'missing' && extending.isHeld()) winBack(pool, seat, { claim, ttl: terms.ttl });
  };
  const ballot = pool.extend(claim, terms.ttl, heal);
  proven = (await decisionOf(ballot, extending.patience)) === 'won' && validity.remaining(pool.clock) > 0;
  if (!proven) return failureOf(ballot, claim);
  ballot.answers.forEach((answer, seat) => heal(seat, answer));
  return { kind: 'extended', validity };
}

function decisionOf(ballot: Ballot<ExtendAnswer>, patience: Patience | undefined): Promise<Decision> {
  return patience ? new Promise((tell) => decideInTime(ballot, patience, tell)) : ballot.decision;
}

/**
 * Takes the key again on a node that lost it, once a quorum of true extensions is proven. Such a vote counts from the next
 * round on: until then a rival may have come and gone on it.
 */
function winBack(pool: NodePool, seat: number, { claim, ttl }: { readonly claim: Claim; readonly ttl: number }): void {
  const question = new Aside<AcquireAnswer>(claim, ttl);
  question.proposal = Math.max(claim.token, proposalAt(pool.clock.now()));
  pool.nodes[seat]!.acquire(question, seat);
}

function failureOf(ballot: Ballot<ExtendAnswer>, { resources }: Claim): Extension {
  const nodes = ballot.nodes.length;
  const gone = ballot.count((answer) => answer.kind === 'missing' || answer.kind === 'taken');
  if (gone > nodes - quorumOf(nodes)) return { kind: 'gone', reason: `${gone} of ${nodes} nodes no longer have it` };
  const outcomes = ballot.nodes.map((node, index) => outcomeOf(node.name, ballot.answers[index]));
  const error = new QuorumNotReachedError(resources, outcomes, 'the lease could not be extended');
  return { kind: 'unproven', error };
}
