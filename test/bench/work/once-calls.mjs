import { Caller, measureCalls } from './callers.mjs';
import { startOncePool } from './once-pool.mjs';

/** @typedef {{ run: string, style: string, callers: number, addresses?: number, length: number, warmUp: number }} CallsParams times in ms */

/**
 * Calls the services for a while, each caller one call after the other.
 * @param {undefined} _client
 * @param {CallsParams & import('./once-modules.mjs').OncePool} params
 */
export async function prepare(_client, { run, style, callers, addresses, length, warmUp, ...pool }) {
  const { service, idempotency } = await startOncePool(pool);
  const act = async (/** @type {string} */ email) => ({ email });
  const ask = (/** @type {string} */ email) =>
    style === '@WithLock'
      ? service.withLock(`user:${email}`, () => act(email))
      : idempotency.once(`user:${email}`, () => act(email));
  const call = (/** @type {string} */ email) => ask(email).then(() => undefined, String);
  const all = Array.from({ length: callers }, (_, index) => new Caller(`${run}-${index}`, call, addresses));
  return measureCalls(all, { length, warmUp });
}
