import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { complaintsAbout, type CodeBlock } from '../support/readme.js';

const PAGE = readFileSync('docs/nodes.md', 'utf8');
const BLOCKS = [...PAGE.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs)].map(([, file, code]): CodeBlock => ({
  file: file!,
  code: code!,
}));

describe('docs/nodes.md', () => {
  it('has code that compiles', () => {
    expect(BLOCKS.map(({ file }) => file)).toEqual(['locks.module.ts']);
    expect(complaintsAbout(BLOCKS)).toEqual([]);
  }, 120_000);
});
