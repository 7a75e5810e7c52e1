import { SingleCall } from '../port/single-call.js';
import type { QuorumCall, Decision } from '../quorum/quorum-call.js';
import { QuorumNotReachedError } from '../api/errors.js';
import { proposalAt } from '../port/fencing.js';
import { decideInTime, type WaitBudget } from '../quorum/outcome/wait-budget.js';
import type { AcquireAnswer, ExtendAnswer } from '../port/lock-node.js';
import type { OwnClaim } from '../quorum/own-claim.js';
import { outcomesOf } from '../quorum/outcome/node-outcome.js';
import type { NodePool } from '../quorum/node-pool.js';
import { quorumOf } from '../quorum/quorum.js';
import { Validity, type LeaseTerms } from '../time/validity.js';

/** The outcome of asking every node once to extend a claim. */
export type Extension =
  | { readonly kind: 'extended'; readonly validity: Validity }
  | { readonly kind: 'gone'; readonly reason: string }
  | { readonly kind: 'unproven'; readonly error: QuorumNotReachedError };

export interface Extending {
  readonly claim: OwnClaim;
  readonly terms: LeaseTerms;
  /** Called before anything is sent, with the validity that the lease has if the extension succeeds. */
  readonly onSend?: (validity: Validity) => void;
  /** Returns whether the lease is still held, so that nodes that lost the key may be won back. */
  readonly isHeld: () => boolean;
  /** The wait budget of the caller that waits for the extension, if there is one. */
  readonly budget?: WaitBudget;
}

/** Asks every node once to extend the claim. Silence is not loss. The lock is lost if so many nodes say that they do not have it that no quorum is left. */
export async function extendOnce(pool: NodePool, extending: Extending): Promise<Extension> {
  const { claim, terms } = extending;
  const validity = Validity.of(pool.clock.now(), terms.ttl, terms.driftFactor);
  extending.onSend?.(validity);
  let proven = false;
  const heal = (nodeIndex: number, answer: ExtendAnswer | undefined): void => {
    // A claim that was released meanwhile takes no key any more: nobody would give that back.
    const isWanted = proven && !claim.isOver && extending.isHeld();
    if (isWanted && answer?.kind === 'missing') winBack(pool, nodeIndex, { claim, ttl: terms.ttl });
  };
  const quorumCall = pool.extend(claim, terms.ttl, heal);
  proven = (await decisionOf(quorumCall, extending.budget)) === 'won' && validity.remaining(pool.clock) > 0;
  if (!proven) return failureOf(quorumCall, claim);
  quorumCall.answers.forEach((answer, nodeIndex) => heal(nodeIndex, answer));
  return { kind: 'extended', validity };
}

function decisionOf(quorumCall: QuorumCall<ExtendAnswer>, budget: WaitBudget | undefined): Promise<Decision> {
  return budget ? new Promise((resolve) => decideInTime(quorumCall, budget, resolve)) : quorumCall.decision;
}

/**
 * Acquires the key again on a node that lost it, after a quorum has extended the lease. The vote of this node counts from the next extension
 * on, because a rival may have got and released the key there in the meantime.
 */
function winBack(
  pool: NodePool,
  nodeIndex: number,
  { claim, ttl }: { readonly claim: OwnClaim; readonly ttl: number },
): void {
  const question = new SingleCall<AcquireAnswer>(claim, ttl);
  question.proposal = Math.max(claim.token, proposalAt(pool.clock.now()));
  question.tokens = claim.tokens;
  pool.nodes[nodeIndex]!.acquire(question, nodeIndex);
}

function failureOf(quorumCall: QuorumCall<ExtendAnswer>, { resources }: OwnClaim): Extension {
  const nodes = quorumCall.nodes.length;
  const gone = quorumCall.count((answer) => answer.kind === 'missing' || answer.kind === 'taken');
  if (gone > nodes - quorumOf(nodes)) return { kind: 'gone', reason: `${gone} of ${nodes} nodes no longer have it` };
  const error = new QuorumNotReachedError(resources, outcomesOf(quorumCall), 'the lease could not be extended');
  return { kind: 'unproven', error };
}
