import { connectAll, load } from './redis-5.mjs';
import { redlockRetries } from './redlock-retries.mjs';

/** @param {import('./candidates.mjs').Settings} settings @returns {Promise<import('./candidates.mjs').Client>} */
export async function connect({ ports, ttl, patience }) {
  const { Redlock } = load('@sesamecare-oss/redlock');
  const redlock = new Redlock(await connectAll(ports), redlockRetries(patience));
  return {
    acquire: (resource) => redlock.acquire([resource], ttl),
    release: (lock) => lock.release(),
  };
}
