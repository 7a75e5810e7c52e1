import { figureOf, titleOf, withSpread } from './tables.mjs';

/** @typedef {import('../harness/rounds.mjs').Scenario} Scenario */
/** @typedef {import('../harness/rounds.mjs').ScenarioResult} ScenarioResult */
/** @typedef {import('../harness/rounds.mjs').VariantResult} VariantResult */
/** @typedef {{ name: string, top: number, width: number, label: string }} Bar */

const WIDTH = 760;
const BAR_LEFT = 160;
const BAR_SPACE = 340;
const ROW = 20;
const GAP = 34;
const HEAD = 46;
// Between black and white, so that it can be read on both.
const TEXT_COLOUR = '#6e7b88';
const OTHERS_COLOUR = '#8d9aa8';
const OURS_COLOUR = '#e0234e';
const OURS = ['ours', 'withLock', '@WithLock', 'first', 'replay'];

/**
 * A group of bars for each variant, each group on a scale of its own.
 * @param {Scenario} scenario
 * @param {ScenarioResult} results
 */
export function chartOf(scenario, results) {
  let top = HEAD;
  const groups = Object.entries(results).flatMap(([variant, result]) => {
    const bars = barsOf(scenario, result, top + 22);
    if (bars.length === 0) return [];
    const heading = text(
      { x: 12, y: top + 14, weight: 600 },
      scenario.variants.length > 1 ? titleOf(scenario, variant) : '',
    );
    top += 22 + bars.length * ROW + GAP - 22;
    return [heading, ...bars.map(drawn)];
  });
  const title = text(
    { x: 12, y: 24, weight: 600, size: 15 },
    `${scenario.name}: ${scenario.chart.title} (${scenario.chart.better} is better)`,
  );
  const font = 'font-family="system-ui, sans-serif" font-size="12"';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${top}" viewBox="0 0 ${WIDTH} ${top}" ${font}>
${[title, ...groups].join('\n')}
</svg>
`;
}

/** @param {Scenario} scenario @param {VariantResult} result @param {number} top @returns {Bar[]} */
function barsOf({ chart, columns }, result, top) {
  const digits = columns.find(({ figure }) => figure === chart.figure)?.digits ?? 2;
  const all = Object.keys(result.runs).map((name) => ({ name, value: figureOf(result, name, chart.figure) }));
  const longest = Math.max(...all.map(({ value }) => finite(value?.median)));
  if (longest === 0) return [];
  return all.map(({ name, value }, index) => ({
    name,
    top: top + index * ROW,
    width: (finite(value?.median) / longest) * BAR_SPACE,
    label: labelOf(result, { name, value, digits }),
  }));
}

/** @param {number | undefined} value */
function finite(value) {
  return value !== undefined && Number.isFinite(value) ? Math.max(0, value) : 0;
}

/**
 * @param {VariantResult} result
 * @param {{ name: string, value: import('../harness/statistics.mjs').Spread | undefined, digits: number }} bar
 */
function labelOf(result, { name, value, digits }) {
  const runs = (result.runs[name] ?? []).filter((run) => run !== undefined);
  const note = runs.find((run) => run.note)?.note ?? 'not measured';
  if (value === undefined) return note;
  const isWhole = value.count === runs.length;
  return withSpread(value, digits) + (isWhole ? '' : `, ${value.count} of ${runs.length} rounds; ${note}`);
}

/** @param {Bar} bar */
function drawn({ name, top, width, label }) {
  const colour = OURS.includes(name) ? OURS_COLOUR : OTHERS_COLOUR;
  return [
    text({ x: BAR_LEFT - 8, y: top + 13, anchor: 'end' }, name),
    `<rect x="${BAR_LEFT}" y="${top + 3}" width="${width.toFixed(1)}" height="${ROW - 6}" rx="2" fill="${colour}"/>`,
    text({ x: BAR_LEFT + width + 8, y: top + 13 }, label),
  ].join('\n');
}

/** @param {{ x: number, y: number, anchor?: string, weight?: number, size?: number }} place @param {string} content */
function text({ x, y, anchor = 'start', weight = 400, size = 12 }, content) {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const style = `text-anchor="${anchor}" font-weight="${weight}" font-size="${size}"`;
  return `<text x="${x.toFixed(1)}" y="${y}" ${style} fill="${TEXT_COLOUR}">${escaped}</text>`;
}
