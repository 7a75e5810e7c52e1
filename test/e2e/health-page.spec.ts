import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { codeBlocks, complaintsAbout } from '../support/readme.js';

const PAGE = readFileSync('docs/operate/health.md', 'utf8');
const BLOCKS = codeBlocks(PAGE);

describe('docs/operate/health.md', () => {
  it('has code that compiles', () => {
    expect(BLOCKS).toHaveLength(1);
    expect(complaintsAbout(BLOCKS)).toEqual([]);
  }, 120_000);
});
