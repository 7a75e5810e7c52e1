import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { gathered, spreadOf, type Row } from '../bench/report/gathered.mjs';
import { resultsIn } from '../bench/report/report.mjs';
import { number } from '../bench/report/tables.mjs';

const FILE = 'docs/compare/libraries.md';
const PAGE = readFileSync(FILE, 'utf8');
const README = readFileSync('README.md', 'utf8');
const ALL = resultsIn('docs/bench');
/** The columns of the page, by the names that the benchmark has for the libraries. */
const COLUMNS = [
  'nestjs-redlock',
  'redlock 4',
  'redlock 5 beta',
  '@sesamecare-oss/redlock',
  'redlock-universal',
  'redis-semaphore',
];

/** The cells of a row, by its heading. */
function cellsOf(heading: string, page = PAGE): string[] {
  const row = page.split('\n').find((line) => line.startsWith(`| ${heading} `)) ?? '';
  return row
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
}

/** What was measured, in the order of the columns. */
function measured(of: [string, string], textOf: (row: Row) => string): string[] {
  const { rows } = gathered(ALL, of);
  return COLUMNS.map((column) => textOf(rows.find(({ name }) => name === column)!));
}

function served(row: Row): string {
  const isOver = row.runs.every(({ finished }) => typeof finished === 'number');
  return isOver ? `${number(spreadOf(row, 'finished')!.median / 1_000, 2)} s` : 'over 20 s';
}

function turns(row: Row): string {
  if (row.runs.some(({ starved }) => Number(starved) > 0)) return 'starved';
  const { min, max } = spreadOf(row, 'shares')!;
  const [least, most] = [min, max].map((share) => number(share, share < 10 ? 2 : 0));
  return least === most ? `${least}` : `${least} to ${most}`;
}

describe(FILE, () => {
  it('has the measured figures', () => {
    const pairs = (row: Row): string => number(spreadOf(row, 'opsPerSecond')!.median, 0);
    expect(cellsOf('128 callers, one lock: last one served')).toEqual(measured(['burst', '4 processes'], served));
    expect(cellsOf('most turns for one turn of the unluckiest')).toEqual(measured(['steady', '4x4'], turns));
    expect(cellsOf('free locks, 1 caller: pairs per second')).toEqual(measured(['alone', '1'], pairs));
    expect(cellsOf('free locks, 64 callers: pairs per second')).toEqual(measured(['alone', '64'], pairs));
  });

  it('has figures that the README repeats', () => {
    const pairs = cellsOf('free locks, 64 callers: pairs per second');
    const seconds = cellsOf('128 callers, one lock: last one served');
    for (const [at, library] of COLUMNS.entries()) {
      // The fork of redlock 5 is left out there.
      if (library === '@sesamecare-oss/redlock') continue;
      expect([library, ...cellsOf(library, README).slice(0, 2)]).toEqual([library, pairs[at], seconds[at]]);
    }
    const [fastest] = seconds.slice(1).sort();
    expect(README).toContain(
      `128 callers in 4 processes were served in ${seconds[0]}. Five other libraries took ${fastest} to`,
    );
  });

  it('names the versions that were measured', () => {
    const { dependencies } = JSON.parse(readFileSync('test/bench/package.json', 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const heading = PAGE.split('\n').find((line) => line.includes('| nestjs-redlock '))!;
    for (const name of ['@sesamecare-oss/redlock', 'redlock-universal', 'redis-semaphore'])
      expect(heading).toContain(`${name} ${dependencies[name]}`);
    expect(heading).toContain(dependencies['redlock-4']!.replace('npm:redlock@', 'redlock '));
  });

  it('says which libraries return an expired lock, as the committed result of npm run interop has it', () => {
    interface Case {
      readonly name: string;
      readonly findings: { readonly found: { readonly text: string } };
    }
    const { cases } = JSON.parse(readFileSync('docs/bench/interop.json', 'utf8')) as { cases: Case[] };
    const theirs = ['redlock-4', 'redlock-5', '@sesamecare-oss/redlock', 'redlock-universal', 'redis-semaphore'].map(
      (name) => {
        const found = cases.find(
          (one) => one.name.startsWith(`${name} `) && one.name.includes('when the lease is over'),
        );
        return found!.findings.found.text === 'TWO HOLDERS' ? 'yes' : 'no';
      },
    );
    expect(cellsOf('can return an expired lock')).toEqual(['no', ...theirs]);
  });
});
