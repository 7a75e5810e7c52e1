import { RedisPool } from '../support/redis-pool.js';
import { elsewhere } from './checks/elsewhere.js';
import { leasesEnd, oursExcludes, theirsExcludes } from './checks/exclusion.js';
import { finding, type Finding } from './checks/finding.js';
import { hammer } from './checks/hammer.js';
import { lateExtension, lateRelease } from './checks/late.js';
import type { Case } from './checks/unsafe.js';
import type { Library } from './library.js';
import { Stage } from './stage.js';

/** What was found beside one library, by the name of the check. */
export interface Row {
  readonly name: string;
  readonly findings: Readonly<Record<string, Finding>>;
}

type Check = (stage: Stage) => Promise<Finding>;

/** How long the hammer takes beside each library, ms, and beside how many libraries all checks run at once. */
export interface Pace {
  readonly ms: number;
  readonly atOnce: number;
}

/** Runs all checks beside each library, on nodes that they share. */
export async function checkLibraries(libraries: readonly Library[], { ms, atOnce }: Pace): Promise<Row[]> {
  const pool = await RedisPool.start(3);
  const rows: Row[] = [];
  try {
    for (let next = 0; next < libraries.length; next += atOnce) {
      const some = libraries.slice(next, next + atOnce);
      rows.push(...(await Promise.all(some.map((library) => checkLibrary(pool, library, ms)))));
    }
  } finally {
    await pool.stop();
  }
  return rows;
}

export async function runCases(cases: readonly Case[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const one of cases) {
    const expected = one.isSafe ? 'one holder' : 'TWO HOLDERS';
    const found = await safely(one.name, one.run());
    rows.push({ name: one.name, findings: { expected: finding(true, expected), found } });
  }
  return rows;
}

/** Returns whether all was found that has to be: among it two holders where that cannot be helped. */
export function isAsExpected(rows: readonly Row[]): boolean {
  return rows.every(({ findings }) => Object.values(findings).every(({ isExpected }) => isExpected));
}

/** Rows as lines of a table of Markdown. */
export function tableOf(rows: readonly Row[], title: string): string[] {
  const columns = [...new Set(rows.flatMap(({ findings }) => Object.keys(findings)))];
  const lines = rows.map(({ name, findings }) => [name, ...columns.map((column) => textOf(findings[column]))]);
  const cells = [[title, ...columns], ...lines];
  const widths = cells[0]!.map((_, at) => Math.max(...cells.map((line) => line[at]!.length)));
  const rule = widths.map((width) => '-'.repeat(width));
  const lineOf = (line: readonly string[]): string =>
    `| ${line.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`;
  return [lineOf(cells[0]!), lineOf(rule), ...cells.slice(1).map(lineOf)];
}

function textOf(found: Finding | undefined): string {
  if (found === undefined) return '-';
  return found.isExpected ? found.text : `${found.text} (UNEXPECTED)`;
}

async function checkLibrary(pool: RedisPool, library: Library, ms: number): Promise<Row> {
  const checks: Record<string, Check> = library.isElsewhere
    ? { 'both with one name': elsewhere }
    : {
        'it keeps ours out': theirsExcludes,
        'ours keeps it out': oursExcludes,
        'leases end': leasesEnd,
        'late extension': lateExtension,
        'late release': lateRelease,
        'hammer, ours + theirs': (stage) => hammer(stage, ms),
      };
  const findings: Record<string, Finding> = {};
  for (const [name, check] of Object.entries(checks)) {
    const stage = Stage.on(pool, library);
    findings[name] = await safely(name, check(stage));
    await stage.close();
  }
  return { name: `${library.name}${library.source === 'dialect' ? '' : ' (package)'}`, findings };
}

async function safely(name: string, check: Promise<Finding>): Promise<Finding> {
  try {
    return await check;
  } catch (error) {
    return finding(false, `NO: ${name} failed: ${(error as Error).message}`);
  }
}
