import type { QuorumCall, Decision } from './quorum-call.js';
import type { AcquireAnswer } from '../port/lock-node.js';
import { isTelling, reasonOf, type Denied } from './outcome.js';
import type { WaitBudget } from './wait-budget.js';

/** Ms: nodes that may take longer than this are not waited for where the caller aborts meanwhile. */
const LONG = 100;
/** Ms that the last round of a caller may take at most once its time is up. */
const LAST_ROUND = 50;

/** Ms that those who have the votes of a quorum may take at most to agree on a token once the time of their caller is up. */
const LAST_AGREEMENT = 250;

/** Ms that nodes may take to agree on a token, from now on. */
export function timeForToken(budget: WaitBudget): number {
  return Math.max(budget.leftForVote, LAST_AGREEMENT);
}

/** Ms that a round may take which begins now. */
export function timeForRound(budget: WaitBudget): number {
  return Math.max(budget.leftForVote, LAST_ROUND);
}

/**
 * Tells once what a quorum call comes to; it is decided by the answers that are there where the time of the caller is up, or the call is
 * aborted, before the nodes have had all of theirs. Most nodes have less time than a caller: then nothing has to be watched.
 */
export function decideInTime(
  quorumCall: Pick<QuorumCall<never>, 'asked' | 'timeout' | 'cutShort' | 'whenDecided'>,
  budget: WaitBudget,
  tell: (decision: Decision) => void,
): void {
  const left = Math.max(budget.leftForVoteAt(quorumCall.asked), LAST_ROUND);
  if (quorumCall.timeout <= Math.min(left, LONG)) return quorumCall.whenDecided(tell);
  const cut = (): void => quorumCall.cutShort();
  const stop = budget.watch(left, { timeout: cut, abort: cut });
  quorumCall.whenDecided((decision) => {
    stop();
    tell(decision);
  });
}

/** Why a quorum call was lost; where the answers so far do not tell whether votes stand in the way or their lack, a moment later. */
export function reasonInTime(quorumCall: QuorumCall<AcquireAnswer>, budget: WaitBudget): Denied | Promise<Denied> {
  if (isTelling(quorumCall)) return reasonOf(quorumCall);
  const early = (wake: () => void): void => quorumCall.whenHeard(() => isTelling(quorumCall) && wake());
  return budget.pause(timeForRound(budget), early).then(() => reasonOf(quorumCall));
}
