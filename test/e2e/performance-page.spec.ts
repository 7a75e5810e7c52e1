import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageOf } from '../bench/peers/page.mjs';
import { pagesOf } from '../bench/report/report.mjs';
import { figureOf, number } from '../bench/report/tables.mjs';
import { SCENARIOS } from '../bench/scenarios/scenarios.mjs';
import type { Compared } from '../bench/peers/run.mjs';
import type { Measured } from '../bench/report/report.mjs';

const BENCH = 'docs/bench';
const PAGE = readFileSync('docs/internals/performance.md', 'utf8');

const resultsOf = (major: number): Measured['results'] =>
  (JSON.parse(readFileSync(join(BENCH, `results-node${major}.json`), 'utf8')) as Measured).results;

/** The median of a figure: of "scenario/variant/candidate/figure". */
function medianOf(major: number, path: string): number {
  const [scenario, variant, candidate, figure] = path.split('/') as [string, string, string, string];
  return figureOf(resultsOf(major)[scenario]![variant]!, candidate, figure)!.median;
}

/** The cells of a row of the page, by the first of them. */
function cellsOf(heading: string): string[] {
  const row = PAGE.split('\n').find((line) => line.startsWith(`| ${heading} `));
  if (row === undefined) throw new Error(`docs/internals/performance.md has no row "${heading}"`);
  return row
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
}

interface Frozen {
  readonly healthy: { readonly opsPerSecond: number };
  readonly opsPerSecond: number;
  readonly p99: number;
  readonly note?: string;
}

describe(BENCH, () => {
  it('has the tables and charts of the results that are there', () => {
    for (const [file, content] of Object.entries(pagesOf(BENCH, SCENARIOS)))
      expect({ file, content: readFileSync(join(BENCH, file), 'utf8') }).toEqual({ file, content });
  });

  it('has the page on kept replies of the answers that are there', () => {
    const compared = JSON.parse(readFileSync(join(BENCH, 'replies.json'), 'utf8')) as Compared;
    expect(readFileSync(join(BENCH, 'replies.md'), 'utf8')).toBe(pageOf(compared));
  });

  it('has charts that say in words what they show', () => {
    for (const chart of ['burst', 'fairness', 'alone']) {
      const svg = readFileSync(join(BENCH, `${chart}.svg`), 'utf8');
      expect(svg).toMatch(
        / role="img" aria-labelledby="title description" .*<title id="title">.+<desc id="description">.+/s,
      );
    }
  });
});

describe('docs/internals/performance.md', () => {
  it.each([
    ['holders at once, at most', 'mostHolders', 1, 0, ''],
    ['time with more than three holders', 'tooMany', 100, 1, ' %'],
    ['time in which a slot is idle', 'idle', 100, 1, ' %'],
    ['99 % wait no longer than', 'waitP99', 1, 0, ' ms'],
    ['turns of the luckiest worker for one of the unluckiest', 'shares', 1, 2, ''],
  ])('has the measured %s', (heading, figure, factor, digits, unit) => {
    const measured = ['ours', 'redis-semaphore'].map(
      (name) => number(factor * medianOf(24, `limit/4x4/${name}/${figure}`), digits) + unit,
    );
    expect(cellsOf(heading)).toEqual(measured);
  });

  it.each([
    ['pairs per second, Node.js 24', 'ours/opsPerSecond', 0],
    ['the same by bare ioredis commands', 'raw/opsPerSecond', 0],
    ['processor time of the client for a pair, µs', 'ours/clientCpu', 0],
    ['commands to all five nodes together, for a pair', 'ours/commands', 2],
  ])('has the measured %s', (heading, figure, digits) => {
    const measured = [1, 16, 64, 256].map((callers) => number(medianOf(24, `alone/${callers}/${figure}`), digits));
    expect(cellsOf(heading)).toEqual(measured);
  });

  it.each([
    ['acquire and release, one caller, no network', 24, [['alone/1/ours/p50', 2, ' ms']]],
    [
      'the same with a round trip of 1 ms',
      20,
      [
        ['near/1 ms/ours/p50', 1, ' ms'],
        ['near/1 ms/raw/p50', 1, ' ms'],
      ],
    ],
    ['the first call for a kept reply', 20, [['once/service 1/first/p50', 2, ' ms']]],
    ['a replay of a [kept reply](../guides/idempotency.md)', 20, [['once/service 1/replay/p50', 2, ' ms']]],
  ] as const)('has the measured cost of %s', (heading, major, figures) => {
    const [cost, on] = cellsOf(heading);
    expect(on).toBe(`Node.js ${major}`);
    for (const [path, digits, unit] of figures) expect(cost).toContain(number(medianOf(major, path), digits) + unit);
  });

  it('has the measured processor time of a request, and the memory of a lock', () => {
    const above = (candidate: string): string =>
      number(medianOf(20, `decorator/POST/${candidate}/cpu`) - medianOf(20, 'decorator/POST/bare/cpu'), 0);
    expect(cellsOf('processor time of `@WithLock` for an HTTP request')[0]).toBe(
      `${above('@WithLock')} µs; nest-redlock ${above('nest-redlock')} µs`,
    );
    const heap = medianOf(20, 'held-50000/extended/ours/heapPerLock');
    expect(cellsOf('memory for each held lock')[0]).toBe(`${number(heap / 1_000, 1)} KB`);
  });

  it('says in words what the chart of the burst shows', () => {
    const svg = readFileSync(join(BENCH, 'burst.svg'), 'utf8');
    for (const library of ['nestjs-redlock', 'redis-semaphore', 'redlock 4', 'redlock-universal']) {
      const seconds = new RegExp(`${library}: ([\\d.]+ s)`).exec(svg)![1];
      expect(PAGE).toContain(`${library} ${seconds}`);
    }
    expect(svg).toMatch(/redlock 5 beta: [^;]*not done after 20 s.*@sesamecare-oss\/redlock: [^;]*not done after 20 s/);
  });

  it.each([
    ['nestjs-redlock', 'ours'],
    ['redlock 5 beta', 'redlock-5'],
    ['@sesamecare-oss/redlock', 'sesamecare'],
    ['redlock-universal', 'redlock-universal'],
    ['redis-semaphore', 'redis-semaphore'],
    ['redlock 4', 'redlock-4'],
  ])('has what %s does while one node is frozen', (heading, candidate) => {
    const [run] = resultsOf(24)['node-frozen']!['alone 64']!.runs[candidate]! as unknown as Frozen[];
    const { healthy, opsPerSecond, p99, note } = run!;
    const [before, during] = [healthy.opsPerSecond, opsPerSecond].map((figure) => number(figure, 0));
    const late = note?.startsWith('hangs') ? 'never' : `${number(p99, p99 < 1_000 ? 1 : 0)} ms`;
    expect(cellsOf(heading)).toEqual([before, during, late]);
  });
});
