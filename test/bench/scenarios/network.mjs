import { DelayingProxies } from '../redis/delaying-proxies.mjs';
import { roundTrip } from '../redis/round-trip.mjs';
import { percentile, sorted } from '../harness/statistics.mjs';
import { merged, PATIENCE_MS, SECTION_MS, sectionsOf, whoCanWait } from './contention.mjs';

const DELAY_MS = 5;
const PROCESSES = 20;

/** @type {import('../harness/rounds.mjs').Scenario} */
export const network = {
  name: 'network-5ms',
  title: `A network of ${DELAY_MS} ms each way: ${PROCESSES} processes with a waiter each, ${SECTION_MS} ms sections`,
  variants: [{ name: `${PROCESSES}x1`, params: { processes: PROCESSES, workers: 1 } }],
  candidates: whoCanWait,
  columns: [
    { figure: 'handOffP50', title: 'hand-off p50, round trips', digits: 2 },
    { figure: 'handOffP99', title: 'hand-off p99, round trips', digits: 2 },
    { figure: 'roundTrip', title: 'round trip ms', digits: 2 },
    { figure: 'sections', title: 'sections', digits: 0 },
    { figure: 'waitP99', title: 'wait p99 ms', digits: 0 },
    { figure: 'shares', title: 'most/fewest turns', digits: 2 },
    { figure: 'starved', title: 'starved', digits: 0 },
    { figure: 'overlaps', title: 'overlaps', digits: 0 },
  ],

  async run(context) {
    const proxies = new DelayingProxies();
    try {
      const ports = await proxies.start(context.servers.ports);
      await proxies.setDelay(DELAY_MS);
      const oneRoundTrip = await roundTrip(Number(ports[0]));
      const length = context.quick ? 3_000 : 6_000;
      const work = { workers: 1, sectionLength: SECTION_MS, length, warmUp: 500 };
      const { each } = await context.together('contended', work, {
        ports,
        processes: PROCESSES,
        patience: PATIENCE_MS,
      });
      return networkFigures(/** @type {import('../work/contended.mjs').Trace[]} */ (each), oneRoundTrip);
    } finally {
      proxies.stop();
    }
  },
};

/**
 * From the call of a release to the moment when the next one holds.
 * @param {import('../work/contended.mjs').Trace[]} traces
 * @param {number} oneRoundTrip ms
 */
function networkFigures(traces, oneRoundTrip) {
  const sections = sectionsOf(traces);
  const handOffs = sections.flatMap((section, index) => {
    const before = sections[index - 1];
    return before === undefined || before.process === section.process ? [] : [section.begin - before.end];
  });
  const inRoundTrips = sorted(handOffs.map((ms) => ms / oneRoundTrip));
  return {
    ...merged(traces),
    roundTrip: oneRoundTrip,
    handOffs: handOffs.length,
    handOffP50: percentile(inRoundTrips, 0.5),
    handOffP99: percentile(inRoundTrips, 0.99),
  };
}
