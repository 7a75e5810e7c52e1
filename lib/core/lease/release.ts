import type { Claim } from '../port/claim.js';
import type { Lock } from '../api/lock.js';
import type { DelayedReleases, Ended } from './min-hold.js';
import type { HoldTerms, LeaseContext } from './lease-context.js';
import type { Validity } from '../time/validity.js';

/** A lease that its holder has released. */
interface Through extends Ended {
  readonly claim: Claim;
  readonly validity: Validity;
  readonly terms: HoldTerms;
}

/**
 * Passes a lock to the next caller of this process, which gets it without a round trip to the nodes; returns undefined then. If there is no
 * such caller, or the lock may not pass, the function gives the lock back to the nodes and returns the quorum call.
 */
export function releaseOrPass(
  { releases, passOn, followed }: LeaseContext,
  lease: Lock,
  through: Through,
): ReturnType<DelayedReleases['giveBack']> | undefined {
  const { claim, validity, terms, ttl, now } = through;
  const isPlain = ttl === terms.ttl && !terms.minHold;
  const isFollowed = followed(lease);
  if (isFollowed && isPlain) {
    const won = { kind: 'won', claim, validity } as const;
    if (passOn(lease, won, now)) return undefined;
  }
  claim.followed = isFollowed;
  return releases.giveBack(claim, terms, through);
}
