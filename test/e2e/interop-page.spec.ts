import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { DIALECTS } from '../interop/dialects/dialects.js';
import { codeBlocks } from '../support/readme.js';

type Findings = Readonly<Record<string, { readonly text: string } | undefined>>;

interface Interop {
  readonly date: string;
  readonly libraries: readonly { readonly name: string; readonly findings: Findings }[];
}

const FILE = 'docs/compare/interop.md';
const PAGE = readFileSync(FILE, 'utf8');
const RESULT = JSON.parse(readFileSync('docs/bench/interop.json', 'utf8')) as Interop;
/** The page has these by their packages. */
const TWICE = ['redlock 4 and 5, @sesamecare-oss/redlock', 'redlock-universal'];
const EXTENSION: Readonly<Record<string, string>> = {
  'is told': 'error',
  'cannot extend': '-',
  'TWO HOLDERS': '**two holders**',
};
const RELEASE: Readonly<Record<string, string>> = {
  'leaves ours': 'harmless',
  'no lease': '-',
  'TWO HOLDERS': '**two holders**',
};

/** The cells of each library on the page: what was found and what to set. */
function shown(): Map<string, string[]> {
  const rows = PAGE.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const libraries = rows.filter((row) => row.length === 8 && /^(`'|none)/.test(row[2]!));
  return new Map(libraries.flatMap((row) => row[1]!.split(' · ').map((name) => [name, row.slice(2, -1)] as const)));
}

function found({ findings }: Interop['libraries'][number]): string[] {
  if (findings['both with one name']?.text === 'TWO HOLDERS') return ['**no**', '-', '-'];
  const isExclusive = [findings['it keeps ours out'], findings['ours keeps it out']].every(
    (one) => one?.text === 'yes',
  );
  return [
    isExclusive ? 'yes' : '**no**',
    EXTENSION[findings['late extension']!.text]!,
    RELEASE[findings['late release']!.text]!,
  ];
}

function nameOf({ name }: { readonly name: string }): string {
  return name.replace(' (package)', '').replace(/^redlock-[45] /, 'redlock ');
}

describe(FILE, () => {
  it('shows of each library what the committed result says', () => {
    const results = RESULT.libraries.filter(({ name }) => !TWICE.includes(name));
    const expected = new Map(results.map((library) => [nameOf(library), found(library)]));
    const onPage = new Map([...shown()].map(([name, cells]) => [name, cells.slice(2)]));
    expect(Object.fromEntries(onPage)).toEqual(Object.fromEntries(expected));
  });

  it.each(DIALECTS.filter(({ name, isElsewhere }) => !TWICE.includes(name) && !isElsewhere))(
    'has the prefix and the nodes of $name',
    ({ name, key, nodes }) => {
      expect(shown().get(name)?.slice(0, 2)).toEqual([`\`'${key.replace('*', '')}'\``, nodes === 1 ? 'one' : 'all']);
    },
  );

  it('has the date of the committed result', () => {
    expect(PAGE).toContain(`is of ${RESULT.date.slice(0, 10)}`);
  });

  it('has the code that is run here', () => {
    const blocks = codeBlocks(PAGE);
    expect(blocks.map(({ file }) => file)).toEqual(['app.module.ts']);
  }, 120_000);
});
