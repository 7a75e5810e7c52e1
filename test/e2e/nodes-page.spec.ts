import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { codeBlocks, complaintsAbout } from '../support/readme.js';

const PAGE = readFileSync('docs/operate/nodes.md', 'utf8');
const BLOCKS = codeBlocks(PAGE);

describe('docs/operate/nodes.md', () => {
  it('has code that compiles', () => {
    expect(BLOCKS.map(({ file }) => file)).toEqual(['locks.module.ts']);
    expect(complaintsAbout(BLOCKS)).toEqual([]);
  }, 120_000);
});
