import type { Lock } from '../api/lock.js';
import type { Entry } from '../collections/roster.js';
import type { Won } from '../quorum/outcome.js';
import type { LeaseTerms } from '../time/validity.js';
import type { DelayedReleases } from './min-hold.js';
import type { Moment } from '../time/clock.js';
import type { LockListener } from '../api/events.js';
import type { NodePool } from '../quorum/node-pool.js';
import type { ResolvedLockOptions } from '../api/options.js';
import type { WaitTerms } from '../quorum/wait-budget.js';

/** The options that say how long a lock is held. */
export type HoldTerms = LeaseTerms & Pick<ResolvedLockOptions, 'autoExtend' | 'maxHold' | 'minHold'>;

/**
 * Returns the terms without the signal that could end the wait, because a lock that is held for long must not keep the signal alive. Terms
 * without a signal are returned as they are, so that many locks share one object.
 */
export function holdTermsOf(terms: HoldTerms & Pick<WaitTerms, 'signal'>): HoldTerms {
  if (terms.signal === undefined) return terms;
  const { ttl, driftFactor, autoExtend, maxHold, minHold } = terms;
  return { ttl, driftFactor, autoExtend, maxHold, minHold };
}

/** What a lease needs from the engine. */
export interface LeaseContext {
  readonly pool: NodePool;
  /** Gives the lease back, at the earliest when its `minHold` is over. */
  readonly releases: Pick<DelayedReleases, 'giveBack'>;
  /** Ms that a lease may last without an extension. */
  readonly maxTtl: number;
  readonly emit: LockListener;
  /** Returns whether a caller of this process waits for the lock; that caller asks for it as soon as the lease is over. */
  readonly followed: (lease: Lock) => boolean;
  /** Passes the won claim to the next caller of this process if that is fair; returns false if the nodes have to be asked. */
  readonly passOn: (lease: Lock, won: Won, now: Moment) => boolean;
  /** Called once, when the lease is over. */
  readonly ended: (lease: Lock & Entry) => void;
}
