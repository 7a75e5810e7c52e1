import { LockLostError } from '../../core/api/errors.js';
import type { Lock } from '../../core/api/lock.js';

/**
 * Checks that the lock is still held right before the work begins, because what ran in between may have taken long. A test
 * double may lack any property.
 * @throws LockLostError
 */
export function assertHeld(lock: Partial<Lock> | undefined): void {
  if (lock?.isValid !== false) return;
  lock.assertValid?.();
  throw new LockLostError(lock.resources ?? [], 'pause', 'it was over before the work under it began');
}
