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

/** How long a lock is to be held. */
export type HoldTerms = LeaseTerms & Pick<ResolvedLockOptions, 'autoExtend' | 'maxHold' | 'minHold'>;

/** Without what ended the wait: a lock may be held for long, and must not keep that alive. Else they are shared by all alike. */
export function holdTermsOf(terms: HoldTerms & Pick<WaitTerms, 'signal'>): HoldTerms {
  if (terms.signal === undefined) return terms;
  const { ttl, driftFactor, autoExtend, maxHold, minHold } = terms;
  return { ttl, driftFactor, autoExtend, maxHold, minHold };
}

/** What a lease needs of its surroundings. */
export interface LeaseContext {
  readonly pool: NodePool;
  /** Gives the lease back once its `minHold` is over. */
  readonly releases: Pick<DelayedReleases, 'giveBack'>;
  /** Ms that a lease may last at most without being extended. */
  readonly maxTtl: number;
  readonly emit: LockListener;
  /** Whether somebody in this process waits for the lock, who asks for it as soon as the lease is over. */
  readonly followed: (lease: Lock) => boolean;
  /** Gives what was won to the next caller of this process, where that is fair; false where the nodes are to be asked. */
  readonly passOn: (lease: Lock, won: Won, now: Moment) => boolean;
  /** Told once, when the lease is over. */
  readonly ended: (lease: Lock & Entry) => void;
}
