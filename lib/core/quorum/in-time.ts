import type { QuorumCall, Decision } from './quorum-call.js';
import type { AcquireAnswer } from '../port/lock-node.js';
import { isTelling, reasonOf, type Denied } from './outcome.js';
import type { WaitBudget } from './wait-budget.js';

/** Ms: if the nodes may take longer than this, a call ends early when its caller aborts. Shorter calls are not watched for that. */
const LONG = 100;
/** Ms that the last round of a caller may take, even if the caller has less time left or none. */
const LAST_ROUND = 50;

/** Ms that the agreement on a token may take once a quorum has voted, even if the caller has less time left or none. */
const LAST_AGREEMENT = 250;

/** Returns how many ms the nodes may take, from now on, to agree on a token. */
export function timeForToken(budget: WaitBudget): number {
  return Math.max(budget.remainingForVote, LAST_AGREEMENT);
}

/** Returns how many ms a round may take that begins now. */
export function timeForRound(budget: WaitBudget): number {
  return Math.max(budget.remainingForVote, LAST_ROUND);
}

/**
 * Calls `notify` once with the decision of a quorum call. If the time of the caller is up, or the caller aborts, before the timeout of the
 * nodes is over, the answers that are there decide. The timeout of the nodes is usually shorter than the time of the caller: then nothing
 * has to be watched.
 */
export function decideInTime(
  quorumCall: Pick<QuorumCall<never>, 'asked' | 'timeout' | 'cutShort' | 'whenDecided'>,
  budget: WaitBudget,
  notify: (decision: Decision) => void,
): void {
  const remaining = Math.max(budget.remainingForVoteAt(quorumCall.asked), LAST_ROUND);
  if (quorumCall.timeout <= Math.min(remaining, LONG)) return quorumCall.whenDecided(notify);
  const cut = (): void => quorumCall.cutShort();
  const stop = budget.watch(remaining, { timeout: cut, abort: cut });
  quorumCall.whenDecided((decision) => {
    stop();
    notify(decision);
  });
}

/**
 * Returns why a quorum call was lost. If the answers so far do not tell whether the resource is held or too few nodes vote, waits for more
 * answers, for at most `timeForRound`.
 */
export function reasonInTime(quorumCall: QuorumCall<AcquireAnswer>, budget: WaitBudget): Denied | Promise<Denied> {
  if (isTelling(quorumCall)) return reasonOf(quorumCall);
  const early = (wake: () => void): void => quorumCall.whenHeard(() => isTelling(quorumCall) && wake());
  return budget.pause(timeForRound(budget), early).then(() => reasonOf(quorumCall));
}
