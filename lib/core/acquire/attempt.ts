import { timeForRound } from '../quorum/wait-budget.js';
import type { AcquireAnswer } from '../port/lock-node.js';
import type { NodePool } from '../quorum/node-pool.js';
import { OwnClaim } from '../quorum/own-claim.js';
import { denialOf, tooSlow, withoutToken, type Denied, type Won } from '../quorum/outcome.js';
import type { Decision } from '../quorum/quorum-call.js';
import { noteLate, settleByVotes } from '../quorum/fencing-agreement.js';
import { Votes } from '../quorum/votes.js';
import { Round, untilAgreed, type Caller } from './round.js';

/** Asks every node once for all resources. If the attempt fails, the votes that it got are released before the promise resolves. */
export async function attempt(
  pool: NodePool,
  { resources, terms, budget }: Caller & { readonly resources: readonly string[] },
): Promise<Won | Denied> {
  const round = ask(pool, new OwnClaim(resources, pool.random.value()), { terms, budget });
  let outcome: Won | Denied | undefined;
  try {
    outcome = await outcomeOf(pool, round);
  } finally {
    if (outcome?.kind !== 'won') round.undo();
  }
  return outcome ?? denialOf(round.call, timeForRound(budget));
}

/** Asks every node once for all resources of a new claim. If that fails, the caller of this function has to release the votes. */
export function ask(pool: NodePool, claim: OwnClaim, caller: Caller): Round {
  const late = (_node: number, answer: AcquireAnswer): void => noteLate(claim, answer);
  return new Round(pool, caller, { claim, now: pool.clock.now(), isFirst: true, late });
}

/** Resolves with the outcome of a round, or with undefined if it was lost: `denialOf` then tells why. */
export async function outcomeOf(pool: NodePool, round: Round): Promise<Won | Denied | undefined> {
  const decision = await new Promise<Decision>((resolve) => round.whenDecided(resolve));
  return round.outcome(decision) ?? (decision === 'won' ? agreedOutcome(pool, round) : undefined);
}

/** Resolves with the lock once the fence counters of a quorum agree on a token. */
async function agreedOutcome(pool: NodePool, round: Round): Promise<Won | Denied> {
  const { call, validity } = round;
  const { claim } = call;
  const votes = new Votes(call.nodes.length);
  const note = (nodeIndex: number, answer: AcquireAnswer | undefined): void => {
    if (answer?.kind === 'granted') votes.grant(nodeIndex, { validity, fence: answer.fence });
    else if (answer) votes.refuse(nodeIndex, answer.kind);
  };
  call.answers.forEach((answer, nodeIndex) => note(nodeIndex, answer));
  // A token that is known stays, whatever votes come later.
  const agreed = (): boolean => claim.token !== 0 || settleByVotes(claim, votes, pool.clock);
  let changed = (): void => undefined;
  const onVote = (check: () => void): void => {
    changed = check;
    call.whenLate((nodeIndex, answer) => {
      note(nodeIndex, answer);
      noteLate(claim, answer);
      check();
    });
  };
  const awaited = call.answers.includes(undefined);
  const disagreement = { votes, awaited, agreed, onVote, changed: () => changed() };
  if (!agreed()) await untilAgreed(pool, { ...round.caller, claim }, disagreement);
  if (claim.token === 0) return withoutToken(call);
  return validity.remaining(pool.clock) > 0 ? { kind: 'won', claim, validity } : tooSlow(call);
}
