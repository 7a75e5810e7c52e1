import { DelayingProxies } from '../redis/delaying-proxies.mjs';
import { roundTrip } from '../redis/round-trip.mjs';

const ROUND_TRIPS_MS = [0.25, 1];
/** How often the delay is set anew until a round trip takes what it should. */
const TRIES = 4;

/** @type {import('../harness/rounds.mjs').Scenario} */
export const near = {
  name: 'near',
  title: 'Alone, one caller, over a network: acquire and release of names that nobody else wants',
  variants: ROUND_TRIPS_MS.map((ms) => ({ name: `${ms} ms`, title: `a round trip of ${ms} ms`, params: { ms } })),
  candidates: (chosen) => chosen,
  baseline: 'raw',
  columns: [
    { figure: 'p50', title: 'p50 ms', digits: 3, against: 'ratio' },
    { figure: 'p99', title: 'p99 ms', digits: 3, against: 'ratio' },
    { figure: 'opsPerSecond', title: 'pairs/s', digits: 0, against: 'ratio' },
    { figure: 'roundTrip', title: 'round trip ms', digits: 2 },
  ],

  async run(context) {
    const proxies = new DelayingProxies();
    try {
      const ports = await proxies.start(context.servers.ports);
      const measured = await delayTo(context.params.ms, proxies, Number(ports[0]));
      const length = context.quick ? 800 : 2_000;
      const work = { concurrency: 1, warmUp: length / 2, length };
      return { ...(await context.alone('alone', work, { ports })), roundTrip: measured };
    } finally {
      proxies.stop();
    }
  },
};

/**
 * The way through the proxy and its naps take their time, too.
 * @param {number} target ms
 * @param {DelayingProxies} proxies
 * @param {number} port
 * @returns {Promise<number>} what a round trip takes
 */
async function delayTo(target, proxies, port) {
  let [delay, measured] = [0, 0];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    await proxies.setDelay(delay);
    measured = await roundTrip(port);
    delay = Math.max(0, delay + (target - measured) / 2);
  }
  return measured;
}
