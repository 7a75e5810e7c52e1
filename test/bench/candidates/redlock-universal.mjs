import { connectAll, load } from './redis-5.mjs';

// Its default: 200 ms, always the same.
const RETRY_DELAY_MS = 200;

/** @param {import('./candidates.mjs').Settings} settings @returns {Promise<import('./candidates.mjs').Client>} */
export async function connect({ ports, ttl, patience }) {
  const { createRedlock, IoredisAdapter } = load('redlock-universal');
  const adapters = (await connectAll(ports)).map((node) => new IoredisAdapter(node));
  const retries = patience === undefined ? {} : { retryAttempts: Math.ceil(patience / RETRY_DELAY_MS) };
  return {
    // A lock object is of one key, so each name makes a new one.
    async acquire(key) {
      const lock = createRedlock({ adapters, key, ttl, ...retries });
      return { lock, handle: await lock.acquire() };
    },
    release: ({ lock, handle }) => lock.release(handle),
  };
}
