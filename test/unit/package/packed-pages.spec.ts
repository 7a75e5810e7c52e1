import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { anchorsOf, relativeLinks } from '../../support/markdown-links.js';
import { diagramsOf, mistakesIn } from '../../support/mermaid.js';
import { packedFiles } from '../../support/packed-files.js';

let files: readonly string[];

beforeAll(async () => {
  files = await packedFiles();
}, 60_000);

function pages(): string[] {
  return files.filter((file) => file.endsWith('.md'));
}

/** What a reader of this page, in the package, would look for in vain. */
function deadLinks(page: string): string[] {
  return relativeLinks(page, readFileSync(page, 'utf8'))
    .filter(({ file, anchor }) => !files.includes(file) || !hasAnchor(file, anchor))
    .map(({ file, anchor }) => `${page} -> ${file}${anchor && `#${anchor}`}`);
}

function hasAnchor(file: string, anchor: string): boolean {
  return anchor === '' || anchorsOf(readFileSync(file, 'utf8')).has(anchor);
}

describe('the package', () => {
  it('has the README, the license, the change log and the pages that the README leads to', () => {
    const linked = relativeLinks('README.md', readFileSync('README.md', 'utf8')).map(({ file }) => file);
    expect(linked.length).toBeGreaterThan(10);
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'CHANGELOG.md', ...linked]));
  });

  it('has a target for each relative link and anchor of its pages', () => {
    expect(pages().length).toBeGreaterThan(10);
    expect(pages().flatMap(deadLinks)).toEqual([]);
  });

  it('has diagrams that GitHub can draw', () => {
    const diagrams = pages().flatMap((page) => diagramsOf(readFileSync(page, 'utf8')));
    expect(diagrams.length).toBeGreaterThan(5);
    expect(diagrams.flatMap(mistakesIn)).toEqual([]);
  });

  it('has no source maps, which the compiler does not write', () => {
    const { options } = ts.getParsedCommandLineOfConfigFile('tsconfig.build.json', undefined, {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (diagnostic) => expect(diagnostic).toBeUndefined(),
    })!;
    const { sourceMap, inlineSourceMap, declarationMap } = options;
    expect({ sourceMap, inlineSourceMap, declarationMap }).toEqual({});
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
  });

  it('leaves out what only this repository has a use for', () => {
    const inside =
      /^(dist\/(esm|cjs|cli)\/|docs\/[\w/-]+\.(md|svg)$|docs\/playground\/index\.html$|docs\/operate\/(kubernetes\/)?[\w-]+\.(ya?ml|json)$)|^(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$|^LICENSE$/;
    expect(files.filter((file) => !inside.test(file))).toEqual(['package.json']);
  });
});

describe('the links of a page', () => {
  it('are found beside code, from where the page is, with their anchors', () => {
    const text = ['[a](b.md#c) ![d](../e.svg) [f](#g) [h](https://i.test)', '`[j](k.md)`', '```', '[l](m.md)', '```'];
    expect(relativeLinks('docs/page.md', text.join('\n'))).toEqual([
      { file: 'docs/b.md', anchor: 'c' },
      { file: 'e.svg', anchor: '' },
      { file: 'docs/page.md', anchor: 'g' },
    ]);
  });

  it('lead to headings as their addresses are made', () => {
    const text = '# When it is the caller’s turn\n```sh\n# none\n```\n## `enabled: false`\n## Two\n## Two\n';
    expect([...anchorsOf(text)]).toEqual(['when-it-is-the-callers-turn', 'enabled-false', 'two', 'two-1']);
    expect([...anchorsOf('| <a id="property-ttl"></a> `ttl` |\n```\n<a id="none">\n```\n')]).toEqual(['property-ttl']);
  });
});

describe('a diagram', () => {
  it.each([
    ['of an unknown kind', 'sequence\n', ['sequence']],
    ['with a semicolon, which ends a line', 'sequenceDiagram\nparticipant A\nA->>A: one; two\n', ['A->>A: one; two']],
    ['with a block that does not end', 'sequenceDiagram\nloop twice\n', ['1 blocks, 0 ends']],
    ['with an actor that is not declared', 'sequenceDiagram\nparticipant A\nA->>B: hello\n', ['B']],
    ['with an open bracket', 'flowchart LR\na[one --> b\n', ['a[one --> b']],
    ['with an entity', 'flowchart LR\na -->|"#lt;b"| c\n', ['a -->|"#lt;b"| c']],
    ['with a wrong arrow', 'stateDiagram-v2\na -> b\n', ['a -> b']],
  ])('%s is found', (_what, diagram, mistakes) => {
    expect(mistakesIn(diagram)).toEqual(mistakes);
  });
});
