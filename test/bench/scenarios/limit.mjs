import { merged, PATIENCE_MS, sectionsOf, warmUpOf } from './contention.mjs';

/** @typedef {import('../work/contended.mjs').Trace} Trace */

const SLOTS = 3;
const SECTION_MS = 10;
/** Those that can give one resource to several holders. */
const WITH_SLOTS = ['ours', 'redis-semaphore'];

/** @type {import('../harness/rounds.mjs').Scenario} */
export const limit = {
  name: 'limit',
  title: `Limit: ${SLOTS} holders of one resource at once, ${SECTION_MS} ms sections, no pause between (processes x workers)`,
  variants: [{ name: '4x4', title: '4 x 4', params: { processes: 4, workers: 4 } }],
  candidates: (chosen) => chosen.filter(({ name }) => WITH_SLOTS.includes(name)),
  columns: [
    { figure: 'mostHolders', title: 'holders at most', digits: 0 },
    { figure: 'meanHolders', title: 'holders, mean', digits: 2 },
    { figure: 'tooMany', title: `time with more than ${SLOTS}`, digits: 3 },
    { figure: 'idle', title: 'slots idle', digits: 3 },
    { figure: 'perSecond', title: 'sections/s', digits: 0 },
    { figure: 'waitP50', title: 'wait p50 ms', digits: 1 },
    { figure: 'waitP99', title: 'wait p99 ms', digits: 1 },
    { figure: 'shares', title: 'most/fewest turns', digits: 2 },
    { figure: 'starved', title: 'starved', digits: 0 },
    { figure: 'clientCpu', title: 'client CPU µs', digits: 0 },
    { figure: 'sectionLength', title: 'section ms', digits: 2 },
    { figure: 'commands', title: 'commands per node', digits: 2 },
  ],

  async run(context) {
    const { processes, workers } = context.params;
    const work = { workers, sectionLength: SECTION_MS, length: context.quick ? 4_000 : 8_000, ...warmUpOf(context) };
    const manner = { processes, patience: PATIENCE_MS, slots: SLOTS };
    const traces = asTraces((await context.together('contended', work, manner)).each);
    // The overlaps of a lock with one holder mean nothing here.
    const { overlaps: _, ...figures } = merged(traces);
    const counted = context.round === 0 && !context.quick ? await countCommands(context, work, manner) : {};
    return { ...figures, ...holders(traces), ...counted };
  },
};

/**
 * How many were in their sections at once, while all processes were at work. The last sections of a process are not done when its time is over, so
 * the last of them to begin ends what is counted.
 * @param {Trace[]} traces
 */
function holders(traces) {
  const from = Math.max(...traces.map(({ began }) => began));
  const to = Math.min(...traces.map(({ begins }) => Number(begins.at(-1))));
  const length = to - from;
  const steps = sectionsOf(traces).flatMap(({ begin, end }) => [
    { at: begin, by: 1 },
    { at: end, by: -1 },
  ]);
  // A section may begin in the moment in which another one ends.
  steps.sort((one, other) => one.at - other.at || one.by - other.by);
  const times = timesOf(steps, { from, to });
  const sum = times.reduce((total, time, count) => total + time * count, 0);
  return {
    mostHolders: times.length - 1,
    meanHolders: sum / length,
    tooMany: times.slice(SLOTS + 1).reduce((total, time) => total + time, 0) / length,
    idle: 1 - times.reduce((total, time, count) => total + time * Math.min(count, SLOTS), 0) / (SLOTS * length),
    perSecond: (sectionsOf(traces).filter(({ end }) => from < end && end <= to).length / length) * 1e3,
  };
}

/**
 * For how many ms there were none, one, two and so on at once.
 * @param {readonly { at: number, by: number }[]} steps in order
 * @param {{ from: number, to: number }} window
 */
function timesOf(steps, { from, to }) {
  /** @type {number[]} */
  const times = [];
  let [count, since] = [0, from];
  for (const { at, by } of steps) {
    const end = Math.min(Math.max(at, from), to);
    times[count] = (times[count] ?? 0) + end - since;
    since = end;
    count += by;
  }
  return times;
}

/**
 * Apart, because the counting stands in the way.
 * @param {import('../harness/context.mjs').Context} context
 * @param {Record<string, any>} work
 * @param {import('../harness/context.mjs').Manner} manner
 */
async function countCommands(context, work, manner) {
  const { each, commands } = await context.counted('contended', { ...work, length: 3_000 }, manner);
  const { sections } = merged(asTraces(each));
  return sections === 0 ? {} : { commands: commands / sections / context.servers.ports.length };
}

/** @param {import('../harness/child.mjs').Figures[]} each */
function asTraces(each) {
  return /** @type {Trace[]} */ (each);
}
