import type { Lock } from '../../core/api/lock.js';

/** A lock that can report its loss without a signal. */
interface Telling {
  onLost?(notify: (error: unknown) => void): () => void;
}

/** Calls `notify` when the lock is lost, or now if it is lost already; returns the function that stops that. */
export function onLost(lock: Lock & Telling, notify: (error: unknown) => void): (() => void) | undefined {
  if (lock.onLost) return lock.onLost(notify);
  // A test double of a lock may have no signal.
  const signal = lock.signal as AbortSignal | undefined;
  const listener = (): void => notify(signal?.reason);
  signal?.addEventListener('abort', listener);
  if (signal?.aborted) listener();
  return () => signal?.removeEventListener('abort', listener);
}
