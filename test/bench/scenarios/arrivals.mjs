import { burstFigures } from './burst.mjs';
import { PATIENCE_MS, whoCanWait } from './contention.mjs';

const CALLERS = 1_000;

/** @type {import('../harness/rounds.mjs').Scenario} */
export const arrivals = {
  name: 'arrivals-1000',
  title: `${CALLERS} callers in one process ask for one key at once, and give it back at once`,
  variants: [{ name: '1 process', params: {} }],
  candidates: whoCanWait,
  columns: [
    { figure: 'finished', title: 'last done ms', digits: 0 },
    { figure: 'sections', title: `done of ${CALLERS}`, digits: 0 },
    { figure: 'waitP50', title: 'wait p50 ms', digits: 0 },
    { figure: 'clientCpu', title: 'client CPU µs', digits: 0 },
    { figure: 'commands', title: 'commands per caller', digits: 1 },
    { figure: 'overlaps', title: 'overlaps', digits: 0 },
  ],

  async run(context) {
    const work = { workers: CALLERS, sectionLength: 0, warmUp: 300 };
    const manner = { patience: PATIENCE_MS, limit: context.quick ? 6_000 : PATIENCE_MS };
    const { each } = await context.together('contended', work, manner);
    const figures = burstFigures(asTraces(each), { callers: CALLERS, ideal: Number.NaN });
    if (context.round > 0 || figures.sections < CALLERS) return figures;
    const counted = await context.counted('contended', work, manner);
    return { ...figures, commands: counted.commands / CALLERS };
  },
};

/** @param {import('../harness/child.mjs').Figures[]} each */
function asTraces(each) {
  return /** @type {import('../work/contended.mjs').Trace[]} */ (each);
}
