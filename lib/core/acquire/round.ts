import { SingleCall } from '../port/single-call.js';
import type { QuorumCall, Decision } from '../quorum/quorum-call.js';
import type { Moment } from '../time/clock.js';
import { decideInTime, timeForToken, type WaitBudget } from '../quorum/wait-budget.js';
import type { AcquireAnswer } from '../port/lock-node.js';
import type { NodePool } from '../quorum/node-pool.js';
import type { OwnClaim } from '../quorum/own-claim.js';
import { tooSlow, type Denied, type Won } from '../quorum/outcome.js';
import { commonToken, raiseLaggards, settle } from '../quorum/fencing-agreement.js';
import { Validity, type LeaseTerms } from '../time/validity.js';
import type { Votes } from '../quorum/votes.js';

/** For whom the nodes are asked: how long the lease is to last, and how long its caller waits. */
export interface Caller {
  readonly terms: LeaseTerms;
  readonly budget: WaitBudget;
}

interface Asking {
  /** A moment before anything is sent: the lease counts from here. */
  readonly now: Moment;
  /** True if no node was asked for the claim before. */
  readonly isFirst: boolean;
  /** Called with every answer that comes after the decision. */
  readonly late: (nodeIndex: number, answer: AcquireAnswer) => void;
}

/** The votes of a claim that do not agree on a token yet. */
interface Disagreement {
  readonly votes: Votes;
  /** True if more votes may be on their way. */
  readonly awaited: boolean;
  /** Returns whether the votes agree by now. */
  readonly agreed: () => boolean;
  /** Receives the function that is to be called after each vote, until the search is over. */
  readonly onVote: (check: () => void) => void;
  /** Called after each answer to a raise, also after the search. */
  readonly changed: () => void;
}

/** One round: every node is asked once for the claim, and the votes give it a lease and a fencing token. */
export class Round {
  readonly call: QuorumCall<AcquireAnswer>;
  readonly validity: Validity;

  constructor(
    private readonly pool: NodePool,
    readonly caller: Caller,
    { claim, now, isFirst, late }: Asking & { readonly claim: OwnClaim },
  ) {
    const { ttl, driftFactor } = caller.terms;
    this.validity = Validity.of(now, ttl, driftFactor);
    this.call = pool.acquire(claim, ttl, { late, now, isFirst });
  }

  /** Calls `notify` in the very turn of the decision. Usually the first round wins, and its caller goes on in that turn. */
  whenDecided(notify: (decision: Decision) => void): void {
    decideInTime(this.call, this.caller.budget, notify);
  }

  /** Returns what the votes of this round alone give, if that is clear: the lock, or a lease that is over already. */
  outcome(decision: Decision): Won | Denied | undefined {
    if (decision === 'lost') return undefined;
    const { call, validity } = this;
    if (validity.remaining(this.pool.clock) <= 0) return tooSlow(call);
    const token = commonToken(call.answers);
    if (token === undefined) return undefined;
    settle(call, token);
    return { kind: 'won', claim: call.claim, validity };
  }

  /** Releases the claim on every node that granted it or may still do so. A silent node counts, since the command may arrive there later. */
  undo(): void {
    const { claim, nodes, answers, ttl } = this.call;
    nodes.forEach((node, nodeIndex) => {
      if (mayHave(answers[nodeIndex])) node.release(new SingleCall(claim, ttl), nodeIndex);
    });
  }
}

/**
 * Resolves when the votes agree on a token, or when the node timeout or the time of the caller is over. Nodes whose fence counters are behind
 * are asked to raise them.
 */
export async function untilAgreed(
  pool: NodePool,
  { claim, terms, budget }: Caller & { readonly claim: OwnClaim },
  { votes, awaited, agreed, onVote, changed }: Disagreement,
): Promise<void> {
  const stop = raiseLaggards(pool, claim, { votes, awaited, changed });
  const limit = Math.min(pool.timeoutFor(terms.ttl), timeForToken(budget));
  let isOver = false;
  // Once the search is over, its caller may hold the lock, whose token must not change any more.
  const early = (wake: () => void): void => onVote(() => void (!isOver && agreed() && wake()));
  try {
    await budget.pause(limit, early);
  } finally {
    isOver = true;
    stop();
  }
}

/** Returns whether a node with this answer may have granted the claim; undefined stands for a node that has not answered yet. */
export function mayHave(answer: AcquireAnswer | undefined): boolean {
  return answer === undefined || answer.kind === 'granted' || (answer.kind === 'unknown' && answer.sent);
}
