import { comparisonOf, figureOf } from './tables.mjs';
import { TRAFFIC_GOALS } from './traffic-goals.mjs';

/** @typedef {Record<string, import('../harness/rounds.mjs').ScenarioResult>} Results by scenario */
/** @typedef {import('../harness/statistics.mjs').Spread} Spread */
/**
 * @typedef {object} Goal
 * @property {string} what
 * @property {number} [atMost]
 * @property {number} [atLeast]
 * @property {number} [digits]
 * @property {boolean} [always] whether each round must reach it and not only their median
 * @property {(results: Results) => Spread | undefined} reached
 */

const STEADY = ['1x2', '1x16', '1x128', '4x4', '8x2'];
const WORKERS = 128;
/** Less than anything that is kept of each operation. */
const FLAT_BYTES_PER_PAIR = 100;
/** What a heap differs by from one collection to the next. */
const NOISE_KB = 512;

/**
 * @param {string} path scenario/variant/figure
 * @param {string} [against] the candidate that ours is divided by
 * @returns {Goal['reached']}
 */
function ours(path, against) {
  const [scenario = '', variant = '', figure = ''] = path.split('/');
  return (results) => {
    const result = results[scenario]?.[variant];
    if (result === undefined) return undefined;
    return against === undefined
      ? figureOf(result, 'ours', figure)
      : comparisonOf(result, ['ours', against], { figure, against: 'ratio' });
  };
}

/** The wait in sections of the whole line, round by round. @param {Results} results */
function longestWait(results) {
  const result = results.steady?.[`1x${WORKERS}`];
  const runs = (result?.runs.ours ?? []).map((run, round) => ({
    inLines: run?.waitP99 / (WORKERS * result?.control[round]?.section),
  }));
  return figureOf({ control: [], runs: { ours: runs } }, 'ours', 'inLines');
}

/** The worst of all crowds. @param {string} figure @returns {Goal['reached']} */
function worstOfSteady(figure) {
  return (results) => {
    const each = STEADY.map((variant) => ours(`steady/${variant}/${figure}`)(results)).filter(
      (one) => one !== undefined,
    );
    return each.sort((one, other) => other.max - one.max)[0];
  };
}

/** @param {'slow' | 'frozen' | 'killed'} kind @returns {Goal[]} */
const outageGoals = (kind) => [
  { what: `one node ${kind}, alone: p50, x healthy`, atMost: 1.1, reached: ours(`node-${kind}/alone 1/p50Ratio`) },
  { what: `one node ${kind}, alone: p99, x healthy`, atMost: 1.5, reached: ours(`node-${kind}/alone 1/p99Ratio`) },
  {
    what: `one node ${kind}, alone at 64: bytes that stay of each pair`,
    atMost: FLAT_BYTES_PER_PAIR,
    digits: 0,
    reached: ours(`node-${kind}/alone 64/grownPerPair`),
  },
];

/** @type {readonly Goal[]} */
export const GOALS = [
  { what: 'alone, 1 caller: p50, x raw', atMost: 1.35, reached: ours('alone/1/p50', 'raw') },
  { what: 'alone, a round trip of 0.25 ms: p50, x raw', atMost: 1.08, reached: ours('near/0.25 ms/p50', 'raw') },
  { what: 'alone, a round trip of 1 ms: p50, x raw', atMost: 1.08, reached: ours('near/1 ms/p50', 'raw') },
  { what: 'alone, 256 callers: p99, x raw', atMost: 0.25, reached: ours('alone/256/p99', 'raw') },
  { what: 'alone, 64 callers: client CPU, x raw', atMost: 0.12, reached: ours('alone/64/clientCpu', 'raw') },
  { what: 'burst, 1 process: x ideal', atMost: 1.1, reached: ours('burst/1 process/ofIdeal') },
  { what: 'burst, 4 processes: x ideal', atMost: 1.3, reached: ours('burst/4 processes/ofIdeal') },
  {
    what: 'burst, 4 processes: served of 128',
    atLeast: 128,
    digits: 0,
    always: true,
    reached: ours('burst/4 processes/sections'),
  },
  {
    what: 'burst, 4 processes: overlaps',
    atMost: 0,
    digits: 0,
    always: true,
    reached: ours('burst/4 processes/overlaps'),
  },
  { what: 'steady 1x16: of the ideal', atLeast: 0.92, reached: ours('steady/1x16/ofIdeal') },
  { what: 'steady 1x128: of the ideal', atLeast: 0.92, reached: ours('steady/1x128/ofIdeal') },
  { what: 'steady 1x16: most/fewest turns', atMost: 1.1, reached: ours('steady/1x16/shares') },
  { what: 'steady 1x128: most/fewest turns', atMost: 1.1, reached: ours('steady/1x128/shares') },
  { what: 'steady 4x4: of the ideal', atLeast: 0.75, reached: ours('steady/4x4/ofIdeal') },
  { what: 'steady 4x4: most/fewest turns', atMost: 1.3, reached: ours('steady/4x4/shares') },
  { what: 'steady 1x128: wait p99 / (workers x section)', atMost: 1.1, reached: longestWait },
  { what: 'steady 1x16: client CPU µs per section', atMost: 130, digits: 0, reached: ours('steady/1x16/clientCpu') },
  { what: 'steady 1x128: client CPU µs per section', atMost: 130, digits: 0, reached: ours('steady/1x128/clientCpu') },
  { what: 'steady 4x4: client CPU µs per section', atMost: 800, digits: 0, reached: ours('steady/4x4/clientCpu') },
  { what: 'steady, all: overlaps', atMost: 0, digits: 0, always: true, reached: worstOfSteady('overlaps') },
  { what: 'steady, all: commands per section and node', atMost: 3, reached: worstOfSteady('commands') },
  {
    what: 'one node frozen, steady 1x16: of the ideal',
    atLeast: 0.6,
    reached: ours('node-frozen/steady 1x16/ofIdeal'),
  },
  {
    what: 'one node frozen: starved',
    atMost: 0,
    digits: 0,
    always: true,
    reached: ours('node-frozen/steady 1x16/starved'),
  },
  {
    what: '5 ms each way, 20 processes: hand-off p50, round trips',
    atMost: 1.25,
    reached: ours('network-5ms/20x1/handOffP50'),
  },
  ...outageGoals('slow'),
  ...outageGoals('frozen'),
  ...outageGoals('killed'),
  {
    what: '50,000 held: heap bytes each',
    atMost: 1024,
    digits: 0,
    reached: ours('held-50000/not extended/heapPerLock'),
  },
  {
    what: '50,000 held and extended: heap bytes each',
    atMost: 1024,
    digits: 0,
    reached: ours('held-50000/extended/heapPerLock'),
  },
  {
    what: 'a vote alone: µs of the node',
    atMost: 10,
    digits: 1,
    reached: ({ 'node-time': times }) => times?.['1'] && figureOf(times['1'], 'acquire', 'micros'),
  },
  {
    what: 'a vote in a batch of 64: µs of the node',
    atMost: 4,
    digits: 1,
    reached: ({ 'node-time': times }) => times?.['64'] && figureOf(times['64'], 'acquire', 'micros'),
  },
  {
    what: 'HTTP handler: client CPU µs of @WithLock above withLock',
    atMost: 60,
    digits: 0,
    reached: ({ decorator }) =>
      decorator?.POST &&
      comparisonOf(decorator.POST, ['@WithLock', 'withLock'], { figure: 'cpu', against: 'difference' }),
  },
  { what: 'a million pairs: growth KB', atMost: NOISE_KB, digits: 0, reached: ours('memory-million/growth/grown') },
  ...TRAFFIC_GOALS,
];
