import { percentile, sorted } from '../harness/statistics.mjs';
import { startOncePool } from './once-pool.mjs';

/** Until the code is compiled. */
const WARM_UP_STORMS = 5;
const ATTEMPTS = 10;

/**
 * One replica keeps a reply under each of many keys; another one is then asked for all of them at once.
 * @param {undefined} _client
 * @param {{ run: string, keys: number } & import('./once-modules.mjs').OncePool} params
 * @returns {Promise<import('../harness/child-main.mjs').Measure>}
 */
export async function prepare(_client, { run, keys: count, ...pool }) {
  let runs = 0;
  const [keeper, reader] = await Promise.all([startOncePool(pool), startOncePool(pool)]);
  const keysOf = (/** @type {number} */ storm) =>
    Array.from({ length: count }, (_, index) => `${run}:${storm}:${index}`);
  const keep = (/** @type {string[]} */ some) =>
    Promise.all(some.map((key) => insist(() => keeper.idempotency.once(key, async () => ({ key })))));
  const noted = () => (runs += 1);
  for (let storm = 0; storm < WARM_UP_STORMS; storm += 1) {
    const some = keysOf(storm);
    await keep(some);
    await Promise.all(some.map((key) => timed(0, reader, key, noted)));
  }
  const keys = keysOf(WARM_UP_STORMS);
  await keep(keys);
  let locks = 0;
  runs = 0;
  reader.service.events$.subscribe(({ type }) => {
    if (type === 'acquired') locks += 1;
  });
  return async () => {
    const start = performance.now();
    const each = await Promise.all(keys.map((key) => timed(start, reader, key, noted)));
    const times = sorted(each.map(({ time }) => time));
    return {
      requests: keys.length,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      perSecond: (keys.length / Number(times.at(-1))) * 1e3,
      failures: each.filter(({ isRight }) => !isRight).length,
      locks,
      runs,
    };
  };
}

/** What comes before the measurement is to succeed, also while the machine is busy. @param {() => Promise<unknown>} act */
async function insist(act) {
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    try {
      return await act();
    } catch {
      // again
    }
  }
  return act();
}

/** @param {number} start @param {Awaited<ReturnType<typeof startOncePool>>} reader @param {string} key @param {() => void} ran */
async function timed(start, { idempotency }, key, ran) {
  const work = async () => {
    ran();
    return { key: 'another' };
  };
  const reply = await idempotency.once(key, work).catch(() => undefined);
  return { time: performance.now() - start, isRight: reply?.key === key };
}
