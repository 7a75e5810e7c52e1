import type { LeaseTerms } from './attempt.js';
import type { Moment } from './clock.js';
import type { Victory } from './contention.js';
import type { LockListener } from './events.js';
import type { Lease } from './lease.js';
import type { NodePool } from './node-pool.js';
import type { ResolvedLockOptions } from './options.js';
import type { PatienceTerms } from './patience.js';

/** How long a lock is to be held. */
export type HoldTerms = LeaseTerms & Pick<ResolvedLockOptions, 'autoExtend' | 'maxHold' | 'minHold'>;

/** Without what ended the wait: a lock may be held for long, and must not keep that alive. Else they are shared by all alike. */
export function holdTermsOf(terms: HoldTerms & Pick<PatienceTerms, 'signal'>): HoldTerms {
  if (terms.signal === undefined) return terms;
  const { ttl, driftFactor, autoExtend, maxHold, minHold } = terms;
  return { ttl, driftFactor, autoExtend, maxHold, minHold };
}

/** What a lease needs of its surroundings. */
export interface LeaseSurroundings {
  readonly pool: NodePool;
  /** Ms that a lease may last at most without being extended. */
  readonly maxTtl: number;
  readonly emit: LockListener;
  /** Whether somebody in this process waits for the lock, who asks for it as soon as the lease is over. */
  readonly followed: (lease: Lease) => boolean;
  /** Gives what was won to the next caller of this process, where that is fair; false where the nodes are to be asked. */
  readonly passOn: (lease: Lease, won: Victory, now: Moment) => boolean;
  /** Told once, when the lease is over. */
  readonly ended: (lease: Lease) => void;
}
