import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CASES, slowAnswer, type Case } from './checks/unsafe.js';
import { DIALECTS } from './dialects/dialects.js';
import { libraryOf } from './dialects/dialect.js';
import { checkLibraries, isAsExpected, runCases, tableOf, type Pace } from './harness.js';
import type { Library } from './library.js';
import { checkBeforeCode } from './migration/before.js';
import { packagesBelow } from './packages/packages.js';

const QUICK: Pace = { ms: 500, atOnce: 6 };
const WHOLE: Pace = { ms: 5_000, atOnce: 1 };

/** Those that look at the clock before they say that a lock is theirs. */
const LOOKS_AT_THE_CLOCK = /^(redlock-4|redlock-universal) /;

/** Prints what was found, and returns the exit code. */
export async function main(args: readonly string[], root: string): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { quick: { type: 'boolean' }, out: { type: 'string' } } });
  const packages = values.quick ? [] : packagesBelow(root);
  const libraries = [...packages, ...DIALECTS.map(libraryOf)];
  const rows = await checkLibraries(libraries, values.quick ? QUICK : WHOLE);
  const cases = await runCases([...CASES, ...packages.flatMap(slowCaseOf)]);
  const pages = values.quick ? [] : await checkBeforeCode(root);
  console.log([...tableOf(rows, 'beside'), '', ...tableOf(cases, 'case'), ''].join('\n'));
  if (pages.length > 0) console.log([...tableOf(pages, 'code before the migration'), ''].join('\n'));
  if (values.out !== undefined) {
    const result = { date: new Date().toISOString(), node: process.version, libraries: rows, cases, before: pages };
    writeFileSync(values.out, `${JSON.stringify(result, null, 1)}\n`);
  }
  const isFine = isAsExpected([...rows, ...cases, ...pages]);
  console.log(`In ${(performance.now() / 1_000).toFixed(0)} s.`);
  console.log(isFine ? 'All is as expected.' : 'Not all is as expected: look for UNEXPECTED.');
  return isFine ? 0 : 1;
}

function slowCaseOf(library: Library): Case[] {
  return library.isElsewhere ? [] : [slowAnswer(library, LOOKS_AT_THE_CLOCK.test(library.name))];
}
