import { SCENARIOS } from '../scenarios/scenarios.mjs';
import { GOALS } from './goals.mjs';
import { withSpread } from './tables.mjs';

/** @typedef {import('./goals.mjs').Goal} Goal */
/** @typedef {import('./goals.mjs').Results} Results */
/** @typedef {import('./goals.mjs').Spread} Spread */

/** @param {Results} results @returns {string[][]} with its heading first */
export function goalsTable(results) {
  const isPartial = SCENARIOS.some(({ name }) => results[name] === undefined);
  const measured = GOALS.map((goal) => ({ goal, reached: goal.reached(results) }));
  const shown = measured.filter(({ reached }) => !isPartial || reached !== undefined);
  const rows = shown.map(({ goal, reached }) => {
    const text = reached === undefined ? 'not measured' : withSpread(reached, goal.digits ?? 2);
    return [goal.what, targetOf(goal), text, reached === undefined ? '-' : verdictOn(goal, reached)];
  });
  return [['figure', 'to reach', 'reached: median [min..max]', ''], ...rows];
}

/** @param {Goal} goal */
function targetOf({ atMost, atLeast }) {
  return atMost === undefined ? `>= ${atLeast}` : `<= ${atMost}`;
}

/** @param {Goal} goal @param {Spread} reached */
function verdictOn({ atMost = Infinity, atLeast = -Infinity, always = false }, { median, min, max }) {
  const [least, most] = always ? [min, max] : [median, median];
  return most <= atMost && least >= atLeast ? 'yes' : 'no';
}
