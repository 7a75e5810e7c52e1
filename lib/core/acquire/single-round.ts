import { timeForRound } from '../quorum/outcome/wait-budget.js';
import type { AcquireAnswer } from '../port/lock-node.js';
import type { NodePool } from '../quorum/node-pool.js';
import { OwnClaim } from '../quorum/own-claim.js';
import { tooSlow, withoutToken, type Denied, type Won } from '../quorum/outcome/outcome.js';
import { reasonForPoller } from '../quorum/outcome/reason.js';
import type { Decision } from '../quorum/quorum-call.js';
import { agreeByVotes, noteLate } from '../quorum/fencing-agreement.js';
import { Votes } from '../quorum/votes.js';
import { Round, type Caller } from './round.js';
import { TokenSearch } from './token-search.js';

/** Asks every node once for all resources. If that fails, the votes that came are released before the promise resolves. */
export async function singleRound(
  pool: NodePool,
  { resources, terms, budget }: Caller & { readonly resources: readonly string[] },
): Promise<Won | Denied> {
  const round = startRound(pool, new OwnClaim(resources, pool.random.value()), { terms, budget });
  let outcome: Won | Denied | undefined;
  try {
    outcome = await lockOf(pool, round);
  } finally {
    if (outcome?.kind !== 'won') round.undo();
  }
  return outcome ?? reasonForPoller(round.call, timeForRound(budget));
}

/**
 * Asks every node for all resources of a claim. If that fails, the caller of this function has to release the votes. A claim with parts has the value
 * under which these were asked for, so its question is not the first one.
 */
export function startRound(pool: NodePool, claim: OwnClaim, caller: Caller): Round {
  const late = (_node: number, answer: AcquireAnswer): void => noteLate(claim, answer);
  return Round.ask(pool, caller, { claim, now: pool.clock.now(), isFirst: claim.parts === undefined, late });
}

/**
 * Resolves with the lock or, if a quorum voted but gave no lock, with the reason. Resolves with undefined if no quorum voted: `reasonForPoller`
 * then finds the reason.
 */
export async function lockOf(pool: NodePool, round: Round): Promise<Won | Denied | undefined> {
  const decision = await new Promise<Decision>((resolve) => round.whenDecided(resolve));
  return round.outcome(decision, pool.clock) ?? (decision === 'won' ? agreedLock(pool, round) : undefined);
}

/** Resolves with the lock once the fence counters of a quorum agree on a token. */
async function agreedLock(pool: NodePool, round: Round): Promise<Won | Denied> {
  const { call, validity } = round;
  const { claim } = call;
  const votes = new Votes(call.nodes.length);
  const note = (nodeIndex: number, answer: AcquireAnswer | undefined): void => {
    if (answer?.kind === 'granted') votes.grant(nodeIndex, { validity, fence: answer.fence });
    else if (answer) votes.refuse(nodeIndex, answer.kind);
  };
  call.answers.forEach((answer, nodeIndex) => note(nodeIndex, answer));
  // A token that is known stays, whatever votes come later.
  const isFound = (): boolean => claim.token !== 0 || agreeByVotes(claim, votes, pool.clock);
  const awaited = call.answers.includes(undefined);
  if (!isFound()) {
    const search = new TokenSearch(pool, claim, { votes, isFound });
    call.whenLate((nodeIndex, answer) => {
      note(nodeIndex, answer);
      noteLate(claim, answer);
      search.look();
    });
    await search.run(round.caller, awaited);
  }
  if (claim.token === 0) return withoutToken(call);
  return validity.remaining(pool.clock) > 0 ? { kind: 'won', claim, validity } : tooSlow(call);
}
