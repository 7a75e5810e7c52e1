import { readFileSync } from 'node:fs';
import { codeBlocks, type CodeBlock } from './readme.js';

export const PAGE = readFileSync('docs/guides/testing.md', 'utf8');

/** The TypeScript blocks of docs/guides/testing.md that can be run; each names its file in its first line. */
export function testFiles(): CodeBlock[] {
  return codeBlocks(PAGE);
}
