import { spread } from '../harness/statistics.mjs';

/** @typedef {import('../harness/rounds.mjs').Scenario} Scenario */
/** @typedef {import('../harness/rounds.mjs').VariantResult} VariantResult */
/** @typedef {import('../harness/rounds.mjs').Column} Column */

/** @param {VariantResult} result @param {string} candidate @param {string} figure */
export function figureOf(result, candidate, figure) {
  return spread((result.runs[candidate] ?? []).map((run) => run?.[figure]));
}

/**
 * A candidate against another, round by round.
 * @param {VariantResult} result
 * @param {[string, string]} candidates
 * @param {Pick<Column, 'figure' | 'against'>} column
 */
export function comparisonOf(result, [candidate, other], { figure, against }) {
  const others = result.runs[other] ?? [];
  return spread(
    (result.runs[candidate] ?? []).map((run, round) => {
      const [one, base] = [run?.[figure], others[round]?.[figure]];
      return against === 'difference' ? one - base : one / base;
    }),
  );
}

/** @param {Scenario} scenario @param {string} variant */
export function titleOf({ variants }, variant) {
  return variants.find(({ name }) => name === variant)?.title ?? variant;
}

/** @param {Scenario} scenario @param {VariantResult} result @returns {string[][]} with its heading first */
export function tableOf(scenario, result) {
  const names = Object.keys(result.runs);
  const columns = scenario.columns.filter(({ figure }) => names.some((name) => figureOf(result, name, figure)));
  const heading = ['', ...columns.map(({ title }) => title), 'notes'];
  const rows = names.map((candidate) => [
    candidate === 'ours' ? 'nestjs-redlock' : candidate,
    ...columns.map((column) => cell(scenario, column, { result, candidate })),
    notesOf(result, candidate),
  ]);
  return [heading, ...rows];
}

/** @param {Scenario} scenario @param {Column} column @param {{ result: VariantResult, candidate: string }} of */
function cell({ baseline }, column, { result, candidate }) {
  const absolute = figureOf(result, candidate, column.figure);
  if (absolute === undefined) return '-';
  if (column.against === undefined || baseline === undefined) return withSpread(absolute, column.digits);
  const comparison = comparisonOf(result, [candidate, baseline], column);
  if (column.against === 'difference') return comparison === undefined ? '-' : withSpread(comparison, column.digits);
  const median = number(absolute.median, column.digits);
  return comparison === undefined || candidate === baseline ? median : `${median} = x ${withSpread(comparison, 2)}`;
}

/** @param {import('../harness/statistics.mjs').Spread} value @param {number} digits */
export function withSpread({ median, min, max }, digits) {
  if (min === max) return number(median, digits);
  return `${number(median, digits)} [${number(min, digits)}..${number(max, digits)}]`;
}

/** @param {number} value @param {number} digits */
export function number(value, digits) {
  // Minus nothing is nothing.
  return (Number(value.toFixed(digits)) || 0).toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** @param {VariantResult} result @param {string} candidate */
function notesOf(result, candidate) {
  const notes = (result.runs[candidate] ?? []).map((run) => run?.note).filter(Boolean);
  return [...new Set(notes)].join('; ');
}

/** Of what the ideal was made, where there is one. @param {VariantResult} result */
export function idealOf({ control }) {
  const [section, roundTrip, cpu, bareShare, bareCpu] = [
    'section',
    'roundTrip',
    'sectionCpu',
    'bareShare',
    'bareCpu',
  ].map((figure) => spread(control.map((figures) => figures[figure])));
  if (section === undefined || roundTrip === undefined || cpu === undefined) return '';
  return (
    `Ideal: a section of ${withSpread(section, 3)} ms and a round trip of ${withSpread(roundTrip, 3)} ms. ` +
    `The waiting in a section costs ${withSpread(cpu, 0)} µs of client CPU by itself.` +
    bareText(bareShare, bareCpu)
  );
}

/** @param {import('../harness/statistics.mjs').Spread} [share] @param {import('../harness/statistics.mjs').Spread} [cpu] */
function bareText(share, cpu) {
  if (share === undefined || cpu === undefined) return '';
  return (
    ` A bare PING to all nodes in place of every hand-off reaches ${withSpread(share, 2)} of the ideal, at ` +
    `${withSpread(cpu, 0)} µs of client CPU.`
  );
}

/** @param {readonly string[][]} rows */
export function asText(rows) {
  const widths = columnWidths(rows);
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(Number(widths[column])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** @param {readonly string[][]} rows */
export function asMarkdown(rows) {
  const [heading = [], ...body] = rows;
  const line = (/** @type {string[]} */ row) => `| ${row.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heading), line(heading.map(() => '---')), ...body.map(line)].join('\n');
}

/** @param {readonly string[][]} rows */
function columnWidths(rows) {
  return (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
}
