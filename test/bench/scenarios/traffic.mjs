import { percentile, sorted } from '../harness/statistics.mjs';
import { PATIENCE_MS, SECTION_MS, whoCanWait } from './contention.mjs';

const PROCESSES = 4;
const WORKERS = 50;
const RESOURCES = 2_000;
/** From this rank on a resource is seldom wanted by two at once. */
const COLD_FROM = 200;

/** @typedef {import('../work/traffic.mjs').Section} Section */
/** @typedef {{ sections: Section[], open: { worker: number, rank: number, wait: number }[], elapsed: number, cpu: number, failures: number, note: string }} Trace */

/** @type {import('../candidates/candidates.mjs').Candidate} */
const HAND_OFF = {
  name: 'hand-off',
  title: 'a hand-written release that tells who waits: not fair, no checks',
  kind: 'reference',
};

/** @type {import('../harness/rounds.mjs').Scenario} */
export const traffic = {
  name: 'traffic',
  title: `Traffic: ${PROCESSES} processes of ${WORKERS} callers, ${RESOURCES} resources by Zipf, ${SECTION_MS} ms sections`,
  variants: [{ name: `${PROCESSES}x${WORKERS}`, params: { processes: PROCESSES, workers: WORKERS } }],
  candidates: (chosen) => [...whoCanWait(chosen), HAND_OFF],
  baseline: HAND_OFF.name,
  columns: [
    { figure: 'perSecond', title: 'sections/s', digits: 0, against: 'ratio' },
    { figure: 'clientCpu', title: 'client CPU µs', digits: 0 },
    { figure: 'shares', title: 'hottest: most/fewest turns of a process', digits: 2 },
    { figure: 'coldWaitP99', title: `wait p99 ms from rank ${COLD_FROM} on`, digits: 1 },
    { figure: 'waitP50', title: 'wait p50 ms', digits: 1 },
    { figure: 'waitP99', title: 'wait p99 ms', digits: 0 },
    { figure: 'unserved', title: 'unserved', digits: 0 },
    { figure: 'overlaps', title: 'overlaps', digits: 0 },
    { figure: 'failures', title: 'failures', digits: 0 },
  ],

  async run(context) {
    const { processes, workers } = context.params;
    const warmUp = context.quick ? 1_500 : 4_000;
    const times = { length: 3_000, compiling: 1_500, warmUp };
    const work = { workers, resources: RESOURCES, sectionLength: SECTION_MS, ...times };
    const { each } = await context.together('traffic', work, { processes, patience: PATIENCE_MS });
    return trafficFigures(/** @type {Trace[]} */ (each), workers);
  },
};

/** @param {Trace[]} traces @param {number} workers of each process */
function trafficFigures(traces, workers) {
  const sections = traces.flatMap((trace) => trace.sections);
  const sum = (/** @type {(trace: Trace) => number} */ of) => traces.reduce((total, trace) => total + of(trace), 0);
  const hottest = traces.map((trace) => trace.sections.filter(({ rank }) => rank === 0).length);
  const waits = waitsOf(traces, 0);
  return {
    perSecond: (sections.length / Math.max(...traces.map(({ elapsed }) => elapsed))) * 1e3,
    clientCpu: (sum(({ cpu }) => cpu) / sections.length) * 1e3,
    shares: Math.max(...hottest) / Math.min(...hottest),
    coldWaitP99: percentile(waitsOf(traces, COLD_FROM), 0.99),
    waitP50: percentile(waits, 0.5),
    waitP99: percentile(waits, 0.99),
    unserved: sum((trace) => workers - new Set(trace.sections.map(({ worker }) => worker)).size),
    overlaps: overlapsIn(sections),
    failures: sum(({ failures }) => failures),
    note: traces.find(({ note }) => note)?.note,
  };
}

/** A caller that waits longest at the end must not be missing. @param {Trace[]} traces @param {number} from rank */
function waitsOf(traces, from) {
  const done = traces.flatMap(({ sections }) =>
    sections.filter(({ rank }) => rank >= from).map(({ asked, begin }) => begin - asked),
  );
  const longest = done.reduce((most, wait) => Math.max(most, wait), 0);
  const open = traces.flatMap((trace) => trace.open.filter(({ rank, wait }) => rank >= from && wait > longest));
  return sorted([...done, ...open.map(({ wait }) => wait)]);
}

/** @param {Section[]} sections */
function overlapsIn(sections) {
  /** @type {Map<number, number>} when the latest section of each rank ended */
  const ended = new Map();
  let overlaps = 0;
  for (const { rank, begin, end } of sections.toSorted((one, other) => one.begin - other.begin)) {
    const last = ended.get(rank) ?? 0;
    if (begin < last) overlaps += 1;
    ended.set(rank, Math.max(last, end));
  }
  return overlaps;
}
