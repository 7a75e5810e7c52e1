import { idealParts, merged, PATIENCE_MS, SECTION_MS, warmUpOf, whoCanWait } from './contention.mjs';

const CROWDS = /** @type {const} */ ([
  [1, 2],
  [1, 16],
  [1, 128],
  [4, 4],
  [8, 2],
]);

/** @type {import('../harness/rounds.mjs').Scenario} */
export const steady = {
  name: 'steady',
  title: `Steady contention: one key, ${SECTION_MS} ms sections, no pause between (processes x workers)`,
  variants: CROWDS.map(([processes, workers]) => ({
    name: `${processes}x${workers}`,
    title: `${processes} x ${workers}`,
    params: { processes, workers },
    isLong: workers === 2,
  })),
  candidates: whoCanWait,
  columns: [
    { figure: 'perSecond', title: 'sections/s', digits: 0 },
    { figure: 'ofIdeal', title: 'of the ideal', digits: 2 },
    { figure: 'waitP50', title: 'wait p50 ms', digits: 1 },
    { figure: 'waitP99', title: 'wait p99 ms', digits: 1 },
    { figure: 'shares', title: 'most/fewest turns', digits: 2 },
    { figure: 'starved', title: 'starved', digits: 0 },
    { figure: 'overlaps', title: 'overlaps', digits: 0 },
    { figure: 'clientCpu', title: 'client CPU µs', digits: 0 },
    { figure: 'sectionLength', title: 'section ms', digits: 2 },
    { figure: 'commands', title: 'commands per node', digits: 2 },
  ],
  control: idealParts,

  async run(context) {
    const { params } = context;
    const { processes, workers } = params;
    // Every worker needs turns enough for their shares to be compared.
    const length = context.quick ? Math.max(2_000, workers * 30) : Math.max(4_000, workers * 60);
    const work = { workers, sectionLength: SECTION_MS, length, ...warmUpOf(context) };
    const { each } = await context.together('contended', work, { processes, patience: PATIENCE_MS });
    const counted = context.round === 0 && !context.quick ? await countCommands(context, work) : {};
    return { ...steadyFigures(context, each), ...counted };
  },
};

/** @param {import('../harness/context.mjs').Context} context @param {import('../harness/child.mjs').Figures[]} each */
export function steadyFigures(context, each) {
  const traces = /** @type {import('../work/contended.mjs').Trace[]} */ (each);
  const figures = merged(traces);
  const perSecond = (figures.sections / Math.max(...traces.map(({ elapsed }) => elapsed))) * 1e3;
  return { ...figures, perSecond, ofIdeal: (perSecond * context.control.ideal) / 1e3 };
}

/**
 * Apart, because the counting stands in the way.
 * @param {import('../harness/context.mjs').Context} context
 * @param {Record<string, any>} work
 */
async function countCommands(context, work) {
  const { params, servers } = context;
  const manner = { processes: params.processes, patience: PATIENCE_MS };
  const { each, commands } = await context.counted('contended', { ...work, length: 2_000 }, manner);
  const { sections } = merged(/** @type {import('../work/contended.mjs').Trace[]} */ (each));
  return sections === 0 ? {} : { commands: commands / sections / servers.ports.length };
}
