import { SingleCall } from '../port/single-call.js';
import type { QuorumCall, Decision } from '../quorum/quorum-call.js';
import { Claim } from '../port/claim.js';
import { decideInTime, timeForRound, timeForToken } from '../quorum/in-time.js';
import type { AcquireAnswer } from '../port/lock-node.js';
import type { NodePool } from '../quorum/node-pool.js';
import { denialOf, withoutToken, type Denied, type Won } from '../quorum/outcome.js';
import type { WaitBudget } from '../quorum/wait-budget.js';
import { commonToken, noteLate, raiseLaggards, settle, settleByVotes } from '../quorum/fencing-agreement.js';
import { Validity, type LeaseTerms } from '../time/validity.js';
import { Votes } from '../quorum/votes.js';

export interface AttemptTerms {
  readonly resources: readonly string[];
  readonly terms: LeaseTerms;
  readonly budget: WaitBudget;
}

/** Asks every node once for all resources. If the attempt fails, the votes that it got are released before the promise resolves. */
export async function attempt(pool: NodePool, { resources, terms, budget }: AttemptTerms): Promise<Won | Denied> {
  const claim = new Claim(resources, pool.random.value());
  const { won, quorumCall, decision } = await ask(pool, claim, { terms, budget });
  if (won) return won;
  undo(quorumCall, claim, terms.ttl);
  if (decision === 'won' && claim.token === 0) return withoutToken(quorumCall);
  return denialOf(quorumCall, decision, timeForRound(budget));
}

interface Asked {
  readonly won: Won | undefined;
  readonly quorumCall: QuorumCall<AcquireAnswer>;
  readonly decision: Decision;
}

/** Asks every node once for all resources of the claim. If that fails, the caller of this function has to release the votes. */
export async function ask(
  pool: NodePool,
  claim: Claim,
  { terms, budget }: Omit<AttemptTerms, 'resources'>,
): Promise<Asked> {
  const now = pool.clock.now();
  const validity = Validity.of(now, terms.ttl, terms.driftFactor);
  const quorumCall = pool.acquire(claim, terms.ttl, { now, late: (_seat, answer) => noteLate(claim, answer) });
  const decision = await new Promise<Decision>((resolve) => decideInTime(quorumCall, budget, resolve));
  const token = decision === 'won' ? commonToken(quorumCall.answers) : undefined;
  if (token !== undefined) settle(quorumCall, token);
  else if (decision === 'won') await searchToken(pool, quorumCall, { validity, limit: timeForToken(budget) });
  const isWon = claim.token !== 0 && validity.remaining(pool.clock) > 0;
  return { won: isWon ? { kind: 'won', claim, validity } : undefined, quorumCall, decision };
}

/** Resolves when the fence counters of a quorum agree on a token, or when `limit` ms or the node timeout are over. */
async function searchToken(
  pool: NodePool,
  quorumCall: QuorumCall<AcquireAnswer>,
  { validity, limit }: { readonly validity: Validity; readonly limit: number },
): Promise<void> {
  const { claim } = quorumCall;
  const votes = new Votes(quorumCall.nodes.length);
  const note = (nodeIndex: number, answer: AcquireAnswer | undefined): void => {
    if (answer?.kind === 'granted') votes.grant(nodeIndex, { validity, fence: answer.fence });
    else if (answer) votes.refuse(nodeIndex, answer.kind);
  };
  quorumCall.answers.forEach((answer, nodeIndex) => note(nodeIndex, answer));
  await new Promise<void>((resolve) => {
    let stopRaise = (): void => undefined;
    const stopTimer = pool.clock.schedule(Math.min(limit, pool.timeoutFor(quorumCall.ttl)), resolve);
    const check = (): void => {
      if (claim.token !== 0 || !settleByVotes(claim, votes, pool.clock)) return;
      stopTimer();
      stopRaise();
      resolve();
    };
    quorumCall.tellLate((nodeIndex, answer) => {
      note(nodeIndex, answer);
      noteLate(claim, answer);
      check();
    });
    check();
    if (claim.token !== 0) return;
    const awaited = quorumCall.answers.includes(undefined);
    stopRaise = raiseLaggards(pool, claim, { votes, awaited, changed: check });
  });
}

/** Releases the claim on every node that granted it or may still do so. A silent node counts, since the command may arrive there later. */
function undo(quorumCall: QuorumCall<AcquireAnswer>, claim: Claim, ttl: number): void {
  quorumCall.nodes.forEach((node, index) => {
    if (mayHave(quorumCall.answers[index])) node.release(new SingleCall(claim, ttl), index);
  });
}

/** Returns whether a node with this answer may have granted the claim; undefined stands for a node that has not answered yet. */
export function mayHave(answer: AcquireAnswer | undefined): boolean {
  return answer === undefined || answer.kind === 'granted' || (answer.kind === 'unknown' && answer.sent);
}
