import { connectAll, load } from './redis-5.mjs';

/** @param {import('./candidates.mjs').Settings} settings @returns {Promise<import('./candidates.mjs').Client>} */
export async function connect({ ports, ttl, patience, autoExtend, slots }) {
  const { RedlockMutex, RedlockSemaphore } = load('redis-semaphore');
  const nodes = await connectAll(ports);
  const options = {
    lockTimeout: ttl,
    ...(patience !== undefined && { acquireTimeout: patience }),
    // It extends unless it is told not to.
    ...(autoExtend === false && { refreshInterval: 0 }),
  };
  return {
    // Each lock is a new one: of one key and one holder, and of so many holders if there are slots.
    async acquire(key) {
      const lock =
        slots === undefined ? new RedlockMutex(nodes, key, options) : new RedlockSemaphore(nodes, key, slots, options);
      await lock.acquire();
      return lock;
    },
    release: (lock) => lock.release(),
  };
}
