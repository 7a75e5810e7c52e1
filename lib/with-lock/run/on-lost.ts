import type { Lock } from '../../core/api/lock.js';
import { HeldLock } from '../../core/lease/held-lock.js';

/** Calls `notify` when the lock is lost, or now if it is lost already; returns the function that stops that. */
export function onLost(lock: Lock, notify: (error: unknown) => void): (() => void) | undefined {
  const lease = HeldLock.leaseOf(lock);
  // It costs less than a signal, which a test double of a lock may not even have.
  if (lease) return lease.onLost(notify);
  const signal = lock.signal as AbortSignal | undefined;
  const listener = (): void => notify(signal?.reason);
  signal?.addEventListener('abort', listener);
  if (signal?.aborted) listener();
  return () => signal?.removeEventListener('abort', listener);
}
