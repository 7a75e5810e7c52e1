/**
 * Starts work that begins only with a call of `then`, as the queries of some libraries do, and returns its promise. The call comes from the
 * async context of the caller, so that a nested call in it finds the held lock. Any other result is returned as it is.
 */
export function startNow<T>(result: T | Promise<T>): T | Promise<T> {
  if (result instanceof Promise || !isThenable(result)) return result;
  return Promise.resolve(result);
}

function isThenable(result: unknown): boolean {
  if ((typeof result !== 'object' && typeof result !== 'function') || result === null) return false;
  return typeof (result as { then?: unknown }).then === 'function';
}
