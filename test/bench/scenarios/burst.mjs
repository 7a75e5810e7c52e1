import { idealParts, merged, PATIENCE_MS, SECTION_MS, warmUpOf, whoCanWait } from './contention.mjs';

const CALLERS = 128;

/** @type {import('../harness/rounds.mjs').Scenario} */
export const burst = {
  name: 'burst',
  title: `Burst: ${CALLERS} callers ask for one key at once, ${SECTION_MS} ms section each`,
  variants: [1, 4].map((processes) => ({
    name: processes === 1 ? '1 process' : `${processes} processes`,
    params: { processes },
  })),
  candidates: whoCanWait,
  columns: [
    { figure: 'finished', title: 'last done ms', digits: 0 },
    { figure: 'ofIdeal', title: 'times the ideal', digits: 2 },
    { figure: 'sections', title: `done of ${CALLERS}`, digits: 0 },
    { figure: 'waitP50', title: 'wait p50 ms', digits: 0 },
    { figure: 'waitP99', title: 'wait p99 ms', digits: 0 },
    { figure: 'overlaps', title: 'overlaps', digits: 0 },
    { figure: 'clientCpu', title: 'client CPU µs', digits: 0 },
  ],
  control: idealParts,

  async run(context) {
    const { processes } = context.params;
    const work = { workers: CALLERS / processes, sectionLength: SECTION_MS, ...warmUpOf(context) };
    const limit = context.quick ? 6_000 : PATIENCE_MS;
    const { each } = await context.together('contended', work, { processes, patience: PATIENCE_MS, limit });
    return burstFigures(/** @type {import('../work/contended.mjs').Trace[]} */ (each), {
      callers: CALLERS,
      ideal: CALLERS * context.control.ideal,
    });
  },
};

/**
 * @param {import('../work/contended.mjs').Trace[]} traces
 * @param {{ callers: number, ideal: number }} of ideal in ms
 * @returns {import('../harness/child.mjs').Figures}
 */
export function burstFigures(traces, { callers, ideal }) {
  const figures = merged(traces);
  const isDone = figures.sections === callers;
  const finished =
    Math.max(...traces.map(({ finishedAt }) => finishedAt)) - Math.min(...traces.map(({ began }) => began));
  if (isDone) return { ...figures, finished, ofIdeal: finished / ideal };
  const elapsed = Math.max(...traces.map((trace) => trace.elapsed));
  const note = `${figures.sections} of ${callers} done in ${(elapsed / 1e3).toFixed(1)} s`;
  return { ...figures, note: [note, figures.note].filter(Boolean).join('; ') };
}
