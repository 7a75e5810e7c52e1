import { access, readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { codeBlocks, complaintsAbout, type CodeBlock } from '../../support/readme.js';

/** Ms: the compiler is to run beside other tests. */
const PATIENCE = 120_000;

const page = await readFile('docs/guides/with-lock.md', 'utf8');
const blocks = codeBlocks(page);
const library = { file: 'transactional.ts', code: 'export declare function Transactional(): MethodDecorator;' };

/** The block with other keys, as a reader might mistype them. */
function mistyped(file: string): CodeBlock {
  const { code } = blocks.find((block) => block.file === file)!;
  const slips = [
    ["'order:<0.id>'", "'order:<0.di>'"],
    ['(order: OrderDto) => `order:${order.id}`', '(id: number) => `order:${id}`'],
    ['customer.email|trim|lower', 'customer.emial|trim|lower'],
    ["'order:<body.id>'", "'order:<body.id|lowre>'"],
  ] as const;
  const wrong = slips.reduce((text, [from, to]) => text.replace(from, () => to), code);
  return { file: 'slips.ts', code: wrong };
}

describe('docs/guides/with-lock.md', () => {
  it(
    'has code that compiles, and that does not with the slips that it names',
    () => {
      expect(blocks.map(({ file }) => file)).toEqual([
        'users.service.ts',
        'names.service.ts',
        'transfers.service.ts',
        'orders.service.ts',
      ]);
      const complaints = complaintsAbout([...blocks, library, mistyped('orders.service.ts')]);
      expect(complaints).toEqual([
        expect.stringContaining('<0.di> leads to no text'),
        expect.stringContaining('the key function takes other arguments'),
        expect.stringContaining('<body.customer.emial> leads to no text'),
        expect.stringContaining('lowre is none of the filters'),
      ]);
      expect(complaints.filter((complaint) => !complaint.includes('/slips.ts: '))).toEqual([]);
    },
    PATIENCE,
  );

  it('names tests that are there', async () => {
    const names = [...page.matchAll(/`((?:test\/unit\/with-lock\/)?[\w-]+\.spec\.ts)`/g)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(10);
    const paths = names.map((name) => (name.includes('/') ? name : `test/e2e/nest/${name}`));
    await expect(Promise.all(paths.map((path) => access(path)))).resolves.toHaveLength(paths.length);
  });
});
