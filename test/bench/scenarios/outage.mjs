import { goTogether } from '../harness/child.mjs';
import { faultOf } from './faults.mjs';
import { idealParts, PATIENCE_MS, SECTION_MS, warmUpOf, whoCanWait } from './contention.mjs';
import { steadyFigures } from './steady.mjs';

/** @typedef {import('../harness/context.mjs').Context} Context */
/** @typedef {import('../harness/child.mjs').Figures} Figures */
/** @typedef {import('../harness/child.mjs').Child} Child */

const ALONE = [1, 64].map((concurrency) => ({ name: `alone ${concurrency}`, params: { concurrency } }));
const CONTENDED = { name: 'steady 1x16', params: { workers: 16 } };

/**
 * One of the five nodes is not as it should be.
 * @param {import('./faults.mjs').Kind} kind
 * @returns {import('../harness/rounds.mjs').Scenario}
 */
export function outage(kind) {
  return {
    name: `node-${kind}`,
    title: `One node of five ${kind}: what others do while it is healthy and then while it is not`,
    variants: [...ALONE, CONTENDED],
    candidates: (chosen, { params }) => (params.workers === undefined ? chosen : whoCanWait(chosen)),
    columns: [
      { figure: 'opsPerSecond', title: 'pairs/s', digits: 0 },
      { figure: 'opsRatio', title: 'of healthy', digits: 2 },
      { figure: 'p50', title: 'p50 ms', digits: 3 },
      { figure: 'p50Ratio', title: 'x healthy', digits: 2 },
      { figure: 'p99', title: 'p99 ms', digits: 3 },
      { figure: 'p99Ratio', title: 'x healthy', digits: 2 },
      { figure: 'grownPerPair', title: 'memory bytes per pair', digits: 0 },
      { figure: 'perSecond', title: 'sections/s', digits: 0 },
      { figure: 'ofIdeal', title: 'of the ideal', digits: 2 },
      { figure: 'waitP99', title: 'wait p99 ms', digits: 1 },
      { figure: 'starved', title: 'starved', digits: 0 },
      { figure: 'overlaps', title: 'overlaps', digits: 0 },
    ],
    control: async (context) => (context.params.workers === undefined ? {} : idealParts(context)),
    run: (context) => (context.params.workers === undefined ? alone(context, kind) : contended(context, kind)),
  };
}

/** @param {Context} context @param {import('./faults.mjs').Kind} kind */
async function alone(context, kind) {
  const length = context.quick ? 600 : 2_000;
  const params = { ...context.params, warmUp: length, length };
  return withFault(context, { kind, work: 'alone', params }, async (child, begin) => {
    const [healthy = {}] = await goTogether([child], limitOf(context));
    await begin();
    const [first = {}] = await goTogether([child], limitOf(context));
    if (first.unfinished > 0) return compared(healthy, [first]);
    const [second = {}] = await goTogether([child], limitOf(context));
    return compared(healthy, [first, second]);
  });
}

/** @param {Context} context @param {import('./faults.mjs').Kind} kind */
async function contended(context, kind) {
  const length = context.quick ? 2_000 : 4_000;
  const params = { ...context.params, sectionLength: SECTION_MS, length, ...warmUpOf(context) };
  return withFault(context, { kind, work: 'contended', params }, async (child, begin) => {
    await begin();
    return steadyFigures(context, await goTogether([child], limitOf(context)));
  });
}

/** A peer that hangs is not waited for. @param {Context} context */
const limitOf = ({ quick }) => (quick ? 5_000 : PATIENCE_MS);

/**
 * @param {Context} context
 * @param {{ kind: import('./faults.mjs').Kind, work: string, params: Record<string, any> }} what
 * @param {(child: Child, begin: () => Promise<void>) => Promise<Figures>} act
 */
async function withFault(context, { kind, work, params }, act) {
  const fault = faultOf(kind, context.servers);
  try {
    const manner = { ports: await fault.prepare(), ...(params.workers && { patience: PATIENCE_MS }) };
    return await context.perform({ work, params, manner }, ([child]) => {
      if (child === undefined) throw new Error('there is no process');
      return act(child, () => fault.begin());
    });
  } finally {
    await fault.end();
  }
}

/**
 * Of the halves of the outage the worse one counts; its second half shows what goes on growing.
 * @param {Figures} healthy
 * @param {Figures[]} faulty
 */
function compared(healthy, faulty) {
  const [first = {}, second] = faulty;
  const worst = (/** @type {string} */ figure) => Math.max(...faulty.map((half) => half[figure]));
  const opsPerSecond = Math.min(...faulty.map((half) => half.opsPerSecond));
  if (first.unfinished > 0) {
    return { opsPerSecond, note: `hangs: ${first.unfinished} callers, ${first.pairs} pairs done`, healthy };
  }
  return {
    opsPerSecond,
    opsRatio: opsPerSecond / healthy.opsPerSecond,
    p50: worst('p50'),
    p50Ratio: worst('p50') / healthy.p50,
    p99: worst('p99'),
    p99Ratio: worst('p99') / healthy.p99,
    grownPerPair: second && (second.heap - first.heap) / second.pairs,
    failures: worst('failures'),
    note: [first.note, second?.note].filter(Boolean).join('; ') || undefined,
    healthy,
  };
}
