import { LockLostError } from '../../core/api/errors.js';
import type { Lock } from '../../core/api/lock.js';

/**
 * Work never begins under a lock that is over: what came between may have taken its time. Doubles may lack anything.
 * @throws LockLostError
 */
export function assertHeld(lock: Partial<Lock> | undefined): void {
  if (lock?.isValid !== false) return;
  lock.assertValid?.();
  throw new LockLostError(lock.resources ?? [], 'it was over before the work under it began');
}
