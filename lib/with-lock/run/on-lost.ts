import type { Lock } from '../../core/api/lock.js';

/** A lock that can tell of its loss without a signal. */
interface Telling {
  onLost?(tell: (error: unknown) => void): () => void;
}

/** Calls back when the lock is lost, which may be at once; returns what ends that. */
export function onLost(lock: Lock & Telling, tell: (error: unknown) => void): (() => void) | undefined {
  if (lock.onLost) return lock.onLost(tell);
  // A double that a test gives may have none.
  const signal = lock.signal as AbortSignal | undefined;
  const listener = (): void => tell(signal?.reason);
  signal?.addEventListener('abort', listener);
  if (signal?.aborted) listener();
  return () => signal?.removeEventListener('abort', listener);
}
