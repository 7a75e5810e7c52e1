import { SingleCall } from '../port/single-call.js';
import type { QuorumCall, Decision } from '../quorum/quorum-call.js';
import type { Clock, Moment } from '../time/clock.js';
import { decideInTime, type WaitBudget } from '../quorum/outcome/wait-budget.js';
import type { AcquireAnswer } from '../port/lock-node.js';
import { mayHave } from '../quorum/outcome/node-outcome.js';
import type { NodePool } from '../quorum/node-pool.js';
import type { OwnClaim } from '../quorum/own-claim.js';
import { tooSlow, type Denied, type Won } from '../quorum/outcome/outcome.js';
import { agreeOnCommonToken, commonToken } from '../quorum/fencing-agreement.js';
import { Validity, type LeaseTerms } from '../time/validity.js';

/** For whom the nodes are asked: how long the lease is to last, and how long its caller waits. */
export interface Caller {
  readonly terms: LeaseTerms;
  readonly budget: WaitBudget;
}

interface RoundTerms {
  readonly claim: OwnClaim;
  /** A moment before anything is sent: the lease counts from here. */
  readonly now: Moment;
  /** True if no node was asked for the claim before. */
  readonly isFirst: boolean;
  /** Called with every answer that comes after the decision. */
  readonly late: (nodeIndex: number, answer: AcquireAnswer) => void;
}

/** One round: every node is asked once for the claim, and the votes give it a lease and a fencing token. */
export class Round {
  private constructor(
    readonly caller: Caller,
    readonly validity: Validity,
    readonly call: QuorumCall<AcquireAnswer>,
  ) {}

  /** Asks all nodes. If that fails, the caller of this function has to release the votes. */
  static ask(pool: NodePool, caller: Caller, { claim, now, isFirst, late }: RoundTerms): Round {
    const { ttl, driftFactor } = caller.terms;
    const validity = Validity.of(now, ttl, driftFactor);
    return new Round(caller, validity, pool.acquire(claim, ttl, { late, now, isFirst }));
  }

  /** Calls `notify` in the very turn of the decision. Usually the first round wins, and its caller goes on in that turn. */
  whenDecided(notify: (decision: Decision) => void): void {
    decideInTime(this.call, this.caller.budget, notify);
  }

  /** Returns what the votes of this round alone give, if that is clear: the lock, or a lease that is over already. */
  outcome(decision: Decision, clock: Clock): Won | Denied | undefined {
    if (decision === 'denied') return undefined;
    const { call, validity } = this;
    if (validity.remaining(clock) <= 0) return tooSlow(call);
    const token = commonToken(call.answers);
    if (token === undefined) return undefined;
    agreeOnCommonToken(call, token);
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
