import { countOf } from '../../sample-app/live/race.mjs';

const TITLES = ['endpoint', 'requests', 'users created', 'bonuses paid', '201s', '409s', 'other', 'time'];

/** What came of the races, a line each: words to the left, numbers to the right. @param {import('../../sample-app/live/race.mjs').Outcome[]} outcomes */
export function table(outcomes) {
  const rows = [TITLES, ...outcomes.map(row)];
  const widths = TITLES.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const align = (/** @type {string} */ cell, /** @type {number} */ column) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((cells) => cells.map(align).join('  ')).join('\n');
}

/** @param {import('../../sample-app/live/race.mjs').Outcome} outcome */
function row(outcome) {
  const { endpoint, statuses, users, bonuses, ms } = outcome;
  const [created, conflicts] = [countOf(outcome, 201), countOf(outcome, 409)];
  const others = statuses.filter((status) => status !== 201 && status !== 409);
  const other = others.length === 0 ? 0 : `${others.length} (${[...new Set(others)].join()})`;
  return [endpoint, statuses.length, users, bonuses, created, conflicts, other, `${Math.round(ms)} ms`].map(String);
}
