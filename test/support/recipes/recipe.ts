import { readFileSync } from 'node:fs';
import { PastedCode } from '../pasted-code.js';
import { codeBlocks, type CodeBlock } from '../readme.js';

/** A part of the code of a page, and what stands in its place. */
export type Change = readonly [part: string, instead: string];

/** The code of one recipe: as it stands, and with its protection taken out. */
export class Recipe {
  readonly blocks: readonly CodeBlock[];
  /** The statements that make its tables. */
  readonly tables: string;

  constructor(readonly page: string) {
    const text = readFileSync(page, 'utf8');
    this.blocks = codeBlocks(text);
    this.tables = [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql).join('\n');
  }

  get files(): string[] {
    return this.blocks.map(({ file }) => file);
  }

  /** Pastes the code into a folder of its own, and runs one of its files. */
  async run<T>(file: string, ...changes: readonly Change[]): Promise<T> {
    const pasted = await PastedCode.write(this.changed(changes));
    return pasted.run<T>(file);
  }

  /** @throws if a part does not stand in the code just once: then a test of the changed code would show nothing */
  changed(changes: readonly Change[]): CodeBlock[] {
    let blocks = [...this.blocks];
    for (const [part, instead] of changes) {
      const count = blocks.reduce((sum, { code }) => sum + code.split(part).length - 1, 0);
      if (count !== 1) throw new Error(`${this.page} has ${count} times: ${part}`);
      blocks = blocks.map(({ file, code }) => ({ file, code: code.replace(part, () => instead) }));
    }
    return blocks;
  }
}
