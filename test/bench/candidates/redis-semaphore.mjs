import { connectAll, load } from './redis-5.mjs';

/** @param {import('./candidates.mjs').Settings} settings @returns {Promise<import('./candidates.mjs').Client>} */
export async function connect({ ports, ttl, patience, autoExtend }) {
  const { RedlockMutex } = load('redis-semaphore');
  const nodes = await connectAll(ports);
  const options = {
    lockTimeout: ttl,
    ...(patience !== undefined && { acquireTimeout: patience }),
    // It extends unless it is told not to.
    ...(autoExtend === false && { refreshInterval: 0 }),
  };
  return {
    // A mutex is of one key and one holder, so each lock is a new one.
    async acquire(key) {
      const mutex = new RedlockMutex(nodes, key, options);
      await mutex.acquire();
      return mutex;
    },
    release: (mutex) => mutex.release(),
  };
}
