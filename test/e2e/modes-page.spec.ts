import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { complaintsAbout, type CodeBlock } from '../support/readme.js';

const PAGE = readFileSync('docs/modes.md', 'utf8');

describe('docs/modes.md', () => {
  it('has code that compiles', () => {
    const blocks = [...PAGE.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs)].map(([, file, code]): CodeBlock => ({
      file: file!,
      code: code!,
    }));
    expect(blocks).toHaveLength(2);
    expect(complaintsAbout(blocks)).toEqual([]);
  }, 120_000);
});
