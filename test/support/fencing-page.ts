import { readFileSync } from 'node:fs';
import { codeBlocks, type CodeBlock } from './readme.js';

const PAGE = readFileSync('docs/concepts/fencing.md', 'utf8');

/** The TypeScript blocks of docs/concepts/fencing.md; each names its file in its first line. */
export function programs(): CodeBlock[] {
  return codeBlocks(PAGE);
}

/** The SQL statement below this comment. */
export function statement(comment: string): string {
  const sql = new RegExp(`\`\`\`sql\n-- ${comment}\n(.*?)\`\`\``, 's').exec(PAGE)?.[1];
  if (sql === undefined) throw new Error(`docs/concepts/fencing.md has no statement "${comment}"`);
  return sql;
}

/** What the example prints, as the page has it. */
export function printed(): string {
  return /It prints\n\n```js\n(.*?)\n```/s.exec(PAGE)![1]!;
}
