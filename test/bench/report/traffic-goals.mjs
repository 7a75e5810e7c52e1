import { comparisonOf, figureOf } from './tables.mjs';

/** @typedef {import('./goals.mjs').Goal} Goal */
/** @typedef {import('./goals.mjs').Results} Results */
/** @typedef {Pick<Goal, 'what' | 'atMost' | 'atLeast' | 'digits' | 'always'>} Bound */
/** @typedef {Parameters<typeof comparisonOf>[2]} Compared */

const TRAFFIC = '4x50';
/** @type {Compared} */
const PER_SECOND = { figure: 'perSecond', against: 'ratio' };
/** @type {Compared} */
const MORE_CPU = { figure: 'cpu', against: 'difference' };

/** How the requests of users meet the library. @type {readonly Goal[]} */
export const TRAFFIC_GOALS = [
  ...httpGoals('Express'),
  ...httpGoals('Fastify'),
  ...busyGoals('Express 200 roomy'),
  ...busyGoals('Fastify 200 roomy'),
  {
    what: 'traffic: sections/s, x hand-off (or the next)',
    atLeast: 0.8,
    reached: (results) =>
      results.traffic?.[TRAFFIC] && comparisonOf(results.traffic[TRAFFIC], ['ours', 'hand-off'], PER_SECOND),
  },
  traffic('clientCpu', { what: 'client CPU µs per section', atMost: 400, digits: 0 }),
  traffic('shares', { what: 'hottest key, most/fewest turns of a process', atMost: 1.3 }),
  traffic('coldWaitP99', { what: 'wait p99 ms from rank 200 on', atMost: 20, digits: 1 }),
  traffic('unserved', { what: 'unserved', atMost: 0, digits: 0, always: true }),
  traffic('overlaps', { what: 'overlaps', atMost: 0, digits: 0, always: true }),
];

/** @param {string} platform @returns {Goal[]} */
function httpGoals(platform) {
  const latency = http(`${platform} 1`, { figure: 'p50', against: 'ratio' });
  const alone = latency(['@WithLock', 'hand-written'], { what: '@WithLock, p50, x hand-written', atMost: 1.2 });
  return [...busyGoals(`${platform} 200`), alone];
}

/** @param {string} variant @returns {Goal[]} */
function busyGoals(variant) {
  const perSecond = http(variant, PER_SECOND);
  const more = http(variant, MORE_CPU);
  return [
    perSecond(['withLock', 'bare'], { what: 'withLock, requests/s, x no lock', atLeast: 0.75 }),
    perSecond(['@WithLock', 'bare'], { what: '@WithLock, requests/s, x no lock', atLeast: 0.65 }),
    more(['withLock', 'bare'], { what: 'withLock, CPU µs above no lock', atMost: 55, digits: 0 }),
    more(['@WithLock', 'bare'], { what: '@WithLock, CPU µs above no lock', atMost: 110, digits: 0 }),
    perSecond(['@WithLock', 'hand-written'], { what: '@WithLock, requests/s, x hand-written', atLeast: 1.05 }),
    perSecond(['@WithLock', 'nest-redlock'], { what: '@WithLock, requests/s, x nest-redlock', atLeast: 1.5 }),
  ];
}

/** @param {string} variant @param {Compared} compared @returns {(pair: [string, string], bound: Bound) => Goal} */
function http(variant, compared) {
  return (pair, bound) => ({
    ...bound,
    what: `${variant}: ${bound.what}`,
    reached: (/** @type {Results} */ results) =>
      results.http?.[variant] && comparisonOf(results.http[variant], pair, compared),
  });
}

/** @param {string} figure @param {Bound} bound @returns {Goal} */
function traffic(figure, bound) {
  return {
    ...bound,
    what: `traffic: ${bound.what}`,
    reached: (results) => results.traffic?.[TRAFFIC] && figureOf(results.traffic[TRAFFIC], 'ours', figure),
  };
}
