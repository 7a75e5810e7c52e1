import type { Claim } from './claim.js';
import type { Moment } from './clock.js';
import type { Contest } from './contention.js';
import { PASSING_SHORTFALL, PASSING_WINDOW } from './hand-off.js';
import type { Ended } from './kept-claims.js';
import type { HoldTerms, LeaseSurroundings } from './lease-surroundings.js';
import type { Lease } from './lease.js';
import type { NodePool } from './node-pool.js';
import type { Won } from './outcome.js';
import { driftOf, type Validity } from './validity.js';

/** A lease that its holder is through with. */
interface Through extends Ended {
  readonly claim: Claim;
  readonly validity: Validity;
  readonly terms: HoldTerms;
}

/**
 * Passes a lock to the next caller of this process, who has it in the next microtask; or, where that is not fair or there is none,
 * gives it back to the nodes.
 */
export function handOver(
  { pool, passOn, followed }: LeaseSurroundings,
  lease: Lease,
  through: Through,
): ReturnType<NodePool['giveBack']> | undefined {
  const { claim, validity, terms, ttl, now } = through;
  const isPlain = ttl === terms.ttl && !terms.minHold;
  const isFollowed = followed(lease);
  if (isFollowed && isPlain) {
    const won = { kind: 'won', claim, validity, attempts: 1 } as const;
    if (passOn(lease, won, now)) return undefined;
  }
  claim.followed = isFollowed;
  return pool.giveBack(claim, terms, through);
}

/**
 * Whether a lock may pass to the next caller of this process without the nodes being asked who is next, as a cohort lock does
 * (Dice, Marathe and Shavit 2012): where that caller came before all others that they saw wait when they were asked last, and with a lease
 * that is still a whole one.
 */
export function mayPass(
  { claim, validity }: Won,
  { terms, patience, value }: Contest,
  { now, pool }: { readonly now: Moment; readonly pool: Pick<NodePool, 'dateOf'> },
): boolean {
  // Under a value of its own, which all parts of its lock have.
  if (value !== undefined) return false;
  const { oldest, passed, taken, tokens } = claim;
  if (passed >= tokens - 1 || patience.arrived > taken!.monotonic + PASSING_WINDOW) return false;
  if (oldest !== Infinity && pool.dateOf(patience.arrival) > oldest / 1_000) return false;
  const spent = terms.ttl - driftOf(terms.ttl, terms.driftFactor) - validity.remainingAt(now);
  return spent >= 0 && spent <= terms.ttl * PASSING_SHORTFALL;
}
