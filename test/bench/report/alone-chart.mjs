import { gathered, spreadOf } from './gathered.mjs';
import { dot, line, path, picture, text } from './svg.mjs';
import { number } from './tables.mjs';

/** @typedef {import('./gathered.mjs').Row} Row */
/** @typedef {import('./svg.mjs').Point} Point */
/** @typedef {import('../harness/statistics.mjs').Spread} Spread */
/** @typedef {{ row: Row, points: Point[], ranges: [Point, Point][], values: (Spread | undefined)[] }} Line */

const CALLERS = [1, 16, 64, 256];
const TICKS = [2_000, 5_000, 10_000, 20_000, 50_000];
const AREA = { left: 74, right: 500, top: 70, bottom: 330 };
const LABEL = { x: 528, step: 17 };
/** Hand-written sockets would set the scale, and are no library. */
const LEFT_OUT = 'bare sockets';

/**
 * Acquire and release of free locks, as lines over the number of callers.
 * @param {readonly import('./report.mjs').Measured[]} all
 * @param {(found: import('./gathered.mjs').Gathered) => string[]} footOf
 */
export function aloneChart(all, footOf) {
  const found = CALLERS.map((callers) => gathered(all, ['alone', `${callers}`]));
  const [first] = found;
  if (first === undefined) return '';
  const lines = first.rows
    .filter(({ name }) => name !== LEFT_OUT)
    .map((row) =>
      lineOf(
        row,
        found.map(({ rows }) => rows.find(({ name }) => name === row.name)),
      ),
    );
  const frame = {
    title: 'Free locks: pairs of acquire and release per second',
    subtitle:
      'One process, 1 to 256 callers at the same time, every lock free; more is better. Both scales are logarithmic.',
    description: lines.map(describe).join('; '),
    foot: footOf(first),
    height: AREA.bottom + 40,
  };
  return picture(frame, [...axes(), ...lines.toReversed().flatMap(drawn), ...labels(lines)]);
}

/** @param {Row} row @param {readonly (Row | undefined)[]} rows @returns {Line} */
function lineOf(row, rows) {
  const values = rows.map((of) => of && spreadOf(of, 'opsPerSecond'));
  const at = values.flatMap((value, index) => (value === undefined ? [] : [{ value, x: xOf(CALLERS[index] ?? 1) }]));
  return {
    row,
    values,
    points: at.map(({ value, x }) => ({ x, y: yOf(value.median) })),
    ranges: at.map(({ value, x }) => [
      { x, y: yOf(value.min) },
      { x, y: yOf(value.max) },
    ]),
  };
}

function axes() {
  return [
    ...TICKS.flatMap((tick) => [
      line({ x: AREA.left, y: yOf(tick) }, { x: AREA.right, y: yOf(tick) }, 'grid'),
      text({ x: AREA.left - 8, y: yOf(tick) + 4 }, number(tick, 0), { anchor: 'end', kind: 'faint' }),
    ]),
    ...CALLERS.map((callers) =>
      text({ x: xOf(callers), y: AREA.bottom + 18 }, callers === 1 ? '1 caller' : `${callers}`, {
        anchor: 'middle',
        kind: 'faint',
      }),
    ),
  ];
}

/** @param {Line} of */
function drawn({ row, points, ranges }) {
  const [stroke, fill] = row.isOurs ? ['line-ours', 'bar-ours'] : ['line', 'bar'];
  return [
    path(points, stroke),
    ...ranges.map(([least, most]) => line(least, most, 'range')),
    ...points.map((point) => dot(point, fill)),
  ];
}

/** Beside the ends of the lines, moved apart until each can be read. @param {readonly Line[]} lines */
function labels(lines) {
  const ends = lines
    .flatMap(({ row, points, values }) => {
      const [end, value] = [points.at(-1), values.at(-1)];
      return end === undefined || value === undefined ? [] : [{ row, end, value }];
    })
    .sort((one, other) => one.end.y - other.end.y);
  const others = ends.filter(({ row }) => !row.isOurs);
  const middle = others.reduce((sum, { end }) => sum + end.y, 0) / others.length;
  return ends.flatMap(({ row, end, value }) => {
    const y = row.isOurs
      ? end.y
      : middle + (others.findIndex((one) => one.end === end) - (others.length - 1) / 2) * LABEL.step;
    return [
      line({ x: end.x + 6, y: end.y }, { x: LABEL.x - 4, y }, 'leader'),
      text({ x: LABEL.x, y: y + 4 }, `${row.name}, ${number(value.median, 0)}`, { kind: row.isOurs ? 'ours' : 'text' }),
    ];
  });
}

/** @param {Line} of */
function describe({ row, values }) {
  const figures = values.map(
    (value, index) => `${value === undefined ? '-' : number(value.median, 0)} with ${CALLERS[index]}`,
  );
  return `${row.name}: ${figures.join(', ')}`;
}

/** @param {number} callers */
function xOf(callers) {
  const [left, right] = [AREA.left + 24, AREA.right - 12];
  return left + (Math.log2(callers) / Math.log2(CALLERS.at(-1) ?? 1)) * (right - left);
}

/** @param {number} pairs */
function yOf(pairs) {
  const [least, most] = [Math.log(TICKS[0] ?? 1), Math.log(TICKS.at(-1) ?? 1)];
  return AREA.bottom - ((Math.log(pairs) - least) / (most - least)) * (AREA.bottom - AREA.top);
}
