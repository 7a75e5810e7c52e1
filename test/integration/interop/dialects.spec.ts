import { describe, expect, it } from '@jest/globals';
import { CASES } from '../../interop/checks/unsafe.js';
import { libraryOf, type Dialect } from '../../interop/dialects/dialect.js';
import { DIALECTS } from '../../interop/dialects/dialects.js';
import { checkLibraries, isAsExpected, runCases, type Row } from '../../interop/harness.js';

const PACE = { ms: 500, atOnce: 6 };
const TIMEOUT = 120_000;

/** A library that takes whatever it wants. */
const BROKEN: Dialect = {
  name: 'broken',
  key: '*',
  take: 'SET key value PX ttl',
  release: 'DEL key',
  lateExtension: 'cannot extend',
};

/** The names of the checks beside a library in which something else was found than expected. */
const unexpected = (rows: readonly Row[]): string[] =>
  rows.flatMap(({ name, findings }) =>
    Object.entries(findings).flatMap(([check, { isExpected, text }]) =>
      isExpected ? [] : [`${name}, ${check}: ${text}`],
    ),
  );

/** `npm run interop` does the same for longer, and with the packages themselves. */
describe('other lock libraries on the same keys, by what they send', () => {
  it(
    'exclude ours and are excluded, and two hold one lock only where that cannot be helped',
    async () => {
      expect(unexpected(await checkLibraries(DIALECTS.map(libraryOf), PACE))).toEqual([]);
    },
    TIMEOUT,
  );

  it(
    'hold a lock beside ours in the cases that the page tells',
    async () => {
      expect(unexpected(await runCases(CASES))).toEqual([]);
    },
    TIMEOUT,
  );

  it(
    'are found by every check where they are broken',
    async () => {
      const rows = await checkLibraries([libraryOf(BROKEN)], PACE);
      expect(isAsExpected(rows)).toBe(false);
      expect(unexpected(rows)).toEqual([
        expect.stringContaining('ours keeps it out: NO: it gets in'),
        expect.stringContaining('late release: TWO HOLDERS'),
        expect.stringContaining('hammer, ours + theirs: NO: two held it at once'),
      ]);
    },
    TIMEOUT,
  );
});
