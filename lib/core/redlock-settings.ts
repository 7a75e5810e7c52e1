import type { Clock } from './time/clock.js';
import type { LockHolder } from './api/errors.js';
import type { LockListener } from './api/events.js';
import type { LockNode } from './port/lock-node.js';
import type { LockOptions } from './api/options.js';
import type { Random } from './collections/random.js';
import type { NestedLocks } from './lease/nested-locks.js';

export interface RedlockSettings {
  readonly nodes: readonly LockNode[];
  /** The name of the pool, for telemetry. @default none */
  readonly name?: string | undefined;
  /** The mark of this process and what it says about itself, so that no node is asked for that. @default the nodes are asked */
  readonly self?: LockHolder | undefined;
  /** True if no channel tells of this pool, because its locks are nobody's. @default false */
  readonly isUnobserved?: boolean | undefined;
  readonly nodeTimeout?: number | undefined;
  /** How many callers of this process may wait for one resource. @default 10_000 */
  readonly maxWaiters?: number | undefined;
  /** How many resources one lock may have. @default 64 */
  readonly maxResources?: number | undefined;
  /** Ms that a lease may last without an extension; must be the same for all clients of these nodes. @default 30_000 */
  readonly maxTtl?: number | undefined;
  readonly defaults?: LockOptions | undefined;
  readonly held?: NestedLocks;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly listener?: LockListener;
  /** Whether a program hears what `listener` is told: then it may compute before the caller of a lock goes on. @default true with a `listener` */
  readonly isHeard?: (() => boolean) | undefined;
}
