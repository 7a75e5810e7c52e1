import type { Ballot, Decision } from './ballot.js';
import type { AcquireAnswer } from './lock-node.js';
import { isTelling, reasonOf, type Lost } from './outcome.js';
import type { Patience } from './patience.js';

/** Ms: nodes that may take longer than this are not waited for where the caller aborts meanwhile. */
const LONG = 100;
/** Ms that the last round of a caller may take at most once its time is up. */
const LAST_ROUND = 50;

/** Ms that those who have the votes of a quorum may take at most to agree on a token once the time of their caller is up. */
const LAST_AGREEMENT = 250;

/** Ms that nodes may take to agree on a token, from now on. */
export function timeForToken(patience: Patience): number {
  return Math.max(patience.leftForVote, LAST_AGREEMENT);
}

/** Ms that a round may take which begins now. */
export function timeForRound(patience: Patience): number {
  return Math.max(patience.leftForVote, LAST_ROUND);
}

/**
 * Tells once what a ballot comes to; it is decided by the answers that are there where the time of the caller is up, or the call is
 * aborted, before the nodes have had all of theirs. Most nodes have less time than a caller: then nothing has to be watched.
 */
export function decideInTime(
  ballot: Pick<Ballot<never>, 'asked' | 'timeout' | 'cutShort' | 'whenDecided'>,
  patience: Patience,
  tell: (decision: Decision) => void,
): void {
  const left = Math.max(patience.leftForVoteAt(ballot.asked), LAST_ROUND);
  if (ballot.timeout <= Math.min(left, LONG)) return ballot.whenDecided(tell);
  const cut = (): void => ballot.cutShort();
  const stop = patience.watch(left, { timeout: cut, abort: cut });
  ballot.whenDecided((decision) => {
    stop();
    tell(decision);
  });
}

/** Why a ballot was lost; where the answers so far do not tell whether votes stand in the way or their lack, a moment later. */
export function reasonInTime(ballot: Ballot<AcquireAnswer>, patience: Patience): Lost | Promise<Lost> {
  if (isTelling(ballot)) return reasonOf(ballot);
  const early = (wake: () => void): void => ballot.whenHeard(() => isTelling(ballot) && wake());
  return patience.pause(timeForRound(patience), early).then(() => reasonOf(ballot));
}
