import { used } from './memory-used.mjs';

const CONCURRENCY = 64;

/**
 * Locks that are held all at once, and what each costs the process.
 * @param {import('../candidates/candidates.mjs').Client} client
 * @param {{ run: string, locks: number }} params
 * @returns {Promise<import('../harness/child-main.mjs').Measure>}
 */
export async function prepare(client, { run, locks }) {
  const warm = await hold(client, { names: `${run}:warm`, locks: Math.ceil(locks / 10) });
  await Promise.all(warm.map((lock) => client.release(lock)));
  return async () => {
    const before = used();
    const held = await hold(client, { names: run, locks });
    const after = used();
    return {
      locks: held.length,
      heapPerLock: (after.heap - before.heap) / held.length,
      rssPerLock: (after.rss - before.rss) / held.length,
    };
  };
}

/** @param {import('../candidates/candidates.mjs').Client} client @param {{ names: string, locks: number }} what */
async function hold(client, { names, locks }) {
  /** @type {unknown[]} */
  const held = [];
  let next = 0;
  const worker = async () => {
    while (next < locks) held.push(await client.acquire(`held:${names}:${(next += 1)}`));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return held;
}
