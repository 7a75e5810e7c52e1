import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { CONSUMERS } from '../../consumers/consumers.mjs';
import { CONTROLS } from '../../model/controls.js';
import { SHARED_CONTROLS } from '../../model/controls-shared.js';

const PAGE = readFileSync('docs/internals/evidence.md', 'utf8');

/** The last cell of the row of the results that begins so. */
function resultOf(heading: string): string {
  const row = PAGE.split('\n').find((line) => line.startsWith(`| ${heading}`));
  return row?.split('|').at(-2)?.trim() ?? `no row "${heading}"`;
}

interface Chaos {
  readonly summary: readonly (readonly [string, string])[];
  readonly complaints: readonly unknown[];
  readonly failures: readonly unknown[];
}

const readChaos = (report: string): Chaos => JSON.parse(readFileSync(report, 'utf8')) as Chaos;

/** The number that a figure of chaos begins with, as pages write it. */
const countIn = (figure = ''): string => Number.parseInt(figure, 10).toLocaleString('en-US');

describe('docs/internals/evidence.md', () => {
  it('names tests and folders that are there', () => {
    const named = [...PAGE.matchAll(/`((?:test|docs)\/[^` ]+)`/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('counts the rules that the simulation is tried without', () => {
    expect(resultOf('rules taken out of the engine')).toMatch(`${CONTROLS.length + SHARED_CONTROLS.length} rules`);
  });

  it.each([
    ['locks taken meanwhile', 'docs/chaos/report.json', 'locks held', 'locks'],
    ['permits and terms of leaders', 'docs/chaos/report.json', 'permits: taken', 'permits'],
    ['permits and terms of leaders', 'docs/chaos/report.json', 'leaders: terms', 'terms'],
    ['calls with kept replies', 'docs/chaos/replies.json', 'locks held', 'locks'],
    ['calls with kept replies', 'docs/chaos/replies.json', 'once: calls', 'calls'],
  ])('says of chaos what the committed report says: %s, %s, %s', (row, report, figure, unit) => {
    const chaos = readChaos(report);
    const summary = new Map(chaos.summary);
    expect([...chaos.complaints, ...chaos.failures]).toEqual([]);
    expect(summary.get('two holders at once')).toBe('0');
    expect(resultOf(row)).toContain(`${countIn(summary.get(figure))} ${unit}`);
  });

  it('has figures that the README repeats', () => {
    const summary = new Map(readChaos('docs/chaos/report.json').summary);
    const readme = readFileSync('README.md', 'utf8');
    expect(readme).toContain(`${countIn(summary.get('locks held'))} locks had one holder at a time`);
    expect(readme).toContain(`all ${countIn(summary.get('writes the fenced store refused'))} late writes`);
    expect(summary.get('wrong writes the fenced store took')).toBe('0');
  });

  it('counts the other libraries, all of which are as expected', () => {
    interface Row {
      readonly findings: Readonly<Record<string, { readonly isExpected: boolean }>>;
    }
    const found = JSON.parse(readFileSync('docs/bench/interop.json', 'utf8')) as Record<
      'libraries' | 'cases' | 'before',
      Row[]
    >;
    expect(resultOf('other lock libraries on the same keys')).toMatch(`${found.libraries.length} libraries`);
    const findings = [...found.libraries, ...found.cases, ...found.before].flatMap((row) =>
      Object.values(row.findings),
    );
    expect(findings.filter(({ isExpected }) => !isExpected)).toEqual([]);
  });

  it('counts the applications that install the package', () => {
    const applications = CONSUMERS.filter(({ name }) => name !== 'command');
    expect(resultOf('applications that install the packed package')).toMatch(`${applications.length} applications`);
  });
});
