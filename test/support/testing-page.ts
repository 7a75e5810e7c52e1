import { readFileSync } from 'node:fs';
import { codeBlocks, type CodeBlock } from './readme.js';

export const PAGE = readFileSync('docs/testing.md', 'utf8');

/** The TypeScript blocks of docs/testing.md that can be run; each names its file in its first line. */
export function testFiles(): CodeBlock[] {
  return codeBlocks(PAGE);
}
