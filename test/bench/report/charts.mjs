import { readFileSync } from 'node:fs';
import { aloneChart } from './alone-chart.mjs';
import { gathered, spreadOf } from './gathered.mjs';
import { box, line, picture, text } from './svg.mjs';
import { number } from './tables.mjs';

/** @typedef {import('./gathered.mjs').Row} Row */
/** @typedef {import('./gathered.mjs').Gathered} Gathered */
/** @typedef {import('./report.mjs').Measured} Measured */
/**
 * @typedef {object} Bar
 * @property {Row} row
 * @property {import('../harness/statistics.mjs').Spread} [value] without it the bar is open: no end was seen
 * @property {string} label
 */
/** @typedef {{ ticks: readonly (readonly [number, string])[], place: (value: number) => number }} Scale */

const LEFT = 220;
const RIGHT = 580;
const TOP = 66;
const ROW = 26;
const PATIENCE_S = 20;
const PACKAGE = new URL('../../../package.json', import.meta.url);

/** The pictures of the page on performance, by the name of their file. @param {readonly Measured[]} all */
export function chartsOf(all) {
  return { 'burst.svg': burst(all), 'fairness.svg': fairness(all), 'alone.svg': aloneChart(all, footOf) };
}

/** @param {readonly Measured[]} all */
function burst(all) {
  const found = gathered(all, ['burst', '4 processes']);
  const bars = found.rows.map((row) => {
    const isOver = row.runs.every(({ finished }) => typeof finished === 'number');
    const value = isOver ? inSeconds(spreadOf(row, 'finished')) : undefined;
    return { row, value, label: value === undefined ? servedText(row) : secondsText(value) };
  });
  const scale = {
    ticks: [0, 5, 10, 15, 20].map((at) => /** @type {const} */ ([at, `${at} s`])),
    place: (/** @type {number} */ value) => LEFT + (value / PATIENCE_S) * (RIGHT - LEFT),
  };
  return barChart({ bars: ordered(bars), scale, found }, [
    '128 callers ask for one lock: seconds until the last one is served',
    `4 processes, 1 ms of work each; shorter is better. Dashed: not done after ${PATIENCE_S} s.`,
  ]);
}

/** @param {readonly Measured[]} all */
function fairness(all) {
  const found = gathered(all, ['steady', '4x4']);
  const bars = found.rows.map((row) => {
    const hasStarved = row.runs.some(({ starved }) => starved > 0);
    const value = hasStarved ? undefined : spreadOf(row, 'shares');
    return { row, value, label: turnsText(row) };
  });
  const scale = {
    ticks: [1, 10, 100, 1_000].map((at) => /** @type {const} */ ([at, `${number(at, 0)} : 1`])),
    place: (/** @type {number} */ value) => LEFT + (Math.log10(value) / 3) * (RIGHT - LEFT),
  };
  return barChart({ bars: ordered(bars), scale, found }, [
    'Turns of the luckiest worker for one turn of the unluckiest',
    '16 workers in 4 processes want one lock all the time; 1 : 1 is fair, the scale is logarithmic. Dashed: workers had no turn.',
  ]);
}

/** @param {{ bars: readonly Bar[], scale: Scale, found: Gathered }} content @param {[string, string]} titles */
function barChart({ bars, scale, found }, [title, subtitle]) {
  const bottom = TOP + bars.length * ROW + 4;
  const grid = scale.ticks.flatMap(([at, label]) => [
    line({ x: scale.place(at), y: TOP - 2 }, { x: scale.place(at), y: bottom }, 'grid'),
    text({ x: scale.place(at), y: bottom + 16 }, label, { anchor: 'middle', kind: 'faint' }),
  ]);
  const description = bars.map(({ row, label }) => `${row.name}: ${label}`).join('; ');
  const foot = footOf(found);
  return picture({ title, subtitle, description, foot, height: bottom + 34 }, [
    ...grid,
    ...bars.flatMap((bar, index) => drawn(bar, TOP + index * ROW, scale)),
  ]);
}

/** @param {Bar} bar @param {number} y @param {Scale} scale */
function drawn({ row, value, label }, y, scale) {
  const start = scale.place(scale.ticks[0]?.[0] ?? 0);
  const end = value === undefined ? RIGHT : Math.max(start + 2, scale.place(value.median));
  const kind = value === undefined ? 'open' : row.isOurs ? 'bar-ours' : 'bar';
  const range = value === undefined || value.min === value.max ? undefined : [value.min, value.max].map(scale.place);
  const middle = y + ROW / 2;
  return [
    text({ x: LEFT - 10, y: middle + 4 }, row.name, { anchor: 'end', kind: row.isOurs ? 'ours' : 'text' }),
    box({ x: start, y: y + 5, width: end - start, height: ROW - 10 }, kind),
    ...(range === undefined ? [] : [line({ x: range[0] ?? 0, y: middle }, { x: range[1] ?? 0, y: middle }, 'range')]),
    ...(value === undefined
      ? [text({ x: start + 10, y: middle + 4 }, label)]
      : [
          text({ x: Math.max(end, range?.[1] ?? 0) + 8, y: middle + 4 }, label, { kind: row.isOurs ? 'ours' : 'text' }),
        ]),
  ];
}

/** Ours first, then the others, the best of them first. @param {readonly Bar[]} bars */
function ordered(bars) {
  const rank = (/** @type {Bar} */ { row, value }) => (row.isOurs ? -1 : (value?.median ?? Infinity));
  return [...bars].sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

/** @param {Row} row */
function servedText({ runs }) {
  const unfinished = runs.filter(({ finished }) => typeof finished !== 'number');
  const served = ascending(unfinished.map(({ sections }) => sections)).filter(isNew);
  const often = unfinished.length < runs.length ? `${unfinished.length} of ${runs.length} rounds ` : '';
  return `${often}not done after ${PATIENCE_S} s: ${served.join(' and ')} of 128`;
}

/** @param {import('../harness/statistics.mjs').Spread} [ms] */
function inSeconds(ms) {
  if (ms === undefined) return undefined;
  return { ...ms, median: ms.median / 1e3, min: ms.min / 1e3, max: ms.max / 1e3 };
}

/** @param {import('../harness/statistics.mjs').Spread} seconds */
function secondsText({ median, min, max }) {
  const digits = median < 10 ? 2 : 1;
  const [least, most] = [number(min, digits), number(max, digits)];
  return `${number(median, digits)} s${least === most ? '' : ` (${least} to ${most})`}`;
}

/** @param {Row} row */
function turnsText({ runs }) {
  const left = runs.map(({ starved }) => starved).filter((starved) => starved > 0);
  const shares = runs.map((run) => run.shares).filter((share) => share > 0);
  const parts = [
    ...(left.length === 0 ? [] : [`${ascending(left).filter(isNew).join(' and ')} of 16 had no turn`]),
    ...ascending(shares)
      .map((share) => `${number(share, share < 10 ? 2 : 0)} : 1`)
      .filter(isNew),
  ];
  return parts.join(', ');
}

/** @param {readonly number[]} values */
function ascending(values) {
  return [...values].sort((one, other) => one - other);
}

/** @template T @param {T} label @param {number} index @param {readonly T[]} labels */
function isNew(label, index, labels) {
  return labels.indexOf(label) === index;
}

/** Where and when, for the reader of a picture alone. @param {Gathered} found @returns {string[]} */
function footOf({ rows, from }) {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  const rounds = Math.max(...rows.map(({ runs }) => runs.length));
  const [newest] = from;
  if (newest === undefined) return [];
  const { node, processor, cores, redis } = newest.machine;
  const days = from.map(({ machine }) => machine.date.slice(0, 10)).filter(isNew);
  const when =
    days.length === 1 ? days.join('') : `${days[0]} (nestjs-redlock), ${days.slice(1).join(', ')} (the others)`;
  return [
    `nestjs-redlock ${version}, Node.js ${node.replace('v', '')}, ${redis.replace('server v=', '')}; medians of ${rounds} rounds, thin lines: least to most.`,
    `Measured on ${when}; ${processor}, ${cores} cores, shared by callers and five nodes.`,
    'Compare the libraries: absolute figures are those of the machine.',
  ];
}
