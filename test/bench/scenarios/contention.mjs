// What the scenarios in which all want one key have in common.
import { percentile, sorted } from '../harness/statistics.mjs';

/** @typedef {import('../work/contended.mjs').Trace} Trace */

export const SECTION_MS = 1;
/** A server that has been up for a while runs compiled code. */
const WARM_UP = { compiling: 1_500, warmUp: 4_000 };
const QUICK_WARM_UP = { compiling: 1_000, warmUp: 2_000 };
/** How long a caller is ready to wait, where a candidate has a setting for it. */
export const PATIENCE_MS = 20_000;

/** @param {readonly import('../candidates/candidates.mjs').Candidate[]} chosen */
export const whoCanWait = (chosen) => chosen.filter(({ kind }) => kind !== 'reference');

/** @param {import('../harness/context.mjs').Context} context */
export const warmUpOf = ({ quick }) => (quick ? QUICK_WARM_UP : WARM_UP);

/** The ideal of the round is made of bare commands. @param {import('../harness/context.mjs').Context} context */
export async function idealParts(context) {
  const { ports } = context.servers;
  const params = { sectionLength: SECTION_MS, rounds: context.quick ? 200 : 1_000, ports };
  const figures = await context.alone('control', params, { candidate: 'raw' });
  const ideal = figures.section + figures.roundTrip;
  return { ...figures, ideal, bareShare: ideal / figures.bareTurn };
}

/** @param {Trace[]} traces of all processes @returns {import('../harness/child.mjs').Figures} */
export function merged(traces) {
  const sections = sectionsOf(traces);
  const waits = sorted(traces.flatMap(({ waits: own }) => [...own]));
  const turns = traces.flatMap((trace) => [...trace.turns]);
  const cpu = traces.reduce((sum, trace) => sum + trace.cpu, 0);
  return {
    sections: sections.length,
    ...waitFigures(waits, traces),
    sectionLength: sections.reduce((sum, { begin, end }) => sum + end - begin, 0) / sections.length,
    overlaps: sections.filter(({ begin }, index) => begin < Number(sections[index - 1]?.end)).length,
    fewestTurns: Math.min(...turns),
    mostTurns: Math.max(...turns),
    shares: Math.max(...turns) / Math.min(...turns),
    starved: turns.filter((count) => count === 0).length,
    clientCpu: (cpu / sections.length) * 1e3,
    failures: traces.reduce((sum, trace) => sum + trace.failures, 0),
    note: traces.find(({ note }) => note)?.note,
  };
}

/** All sections in the order in which they began. @param {Trace[]} traces */
export function sectionsOf(traces) {
  const sections = traces.flatMap(({ begins, ends }, process) =>
    Array.from(begins, (begin, index) => ({ process, begin, end: Number(ends[index]) })),
  );
  return sections.sort((one, other) => one.begin - other.begin);
}

/**
 * Callers that at the end have waited longer than the longest of the others are starving, and must not be missing.
 * @param {Float64Array} waits
 * @param {Trace[]} traces
 */
function waitFigures(waits, traces) {
  const longest = waits.at(-1) ?? 0;
  const starving = traces.flatMap(({ openWaits }) => [...openWaits]).filter((wait) => wait > longest);
  const all = sorted([...waits, ...starving]);
  return { waitP50: percentile(all, 0.5), waitP99: percentile(all, 0.99), waitMax: all.at(-1) };
}
