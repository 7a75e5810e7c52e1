/** Returns whether a value has a `then`, as promises have, and the queries of some libraries. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && typeof (value as { then?: unknown }).then === 'function';
}

/**
 * Starts work that begins only with a call of `then`, as the queries of some libraries do, and returns its promise. The call comes from the
 * async context of the caller, so that a nested call in it finds the held lock. Any other result is returned as it is.
 */
export function startNow<T>(result: T | Promise<T>): T | Promise<T> {
  if (result instanceof Promise || !isThenable(result)) return result;
  return Promise.resolve(result as PromiseLike<T>);
}
