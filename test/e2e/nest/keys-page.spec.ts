import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { RedlockService } from 'nestjs-redlock';
import { RedlockTestingModule } from 'nestjs-redlock/testing';
import { MAX_RESOURCES, RESERVED } from '../../../lib/engine/resources.js';
import { GRAPHQL, HTTP, RPC, WS } from '../../../lib/with-lock/key/key-roots.js';
import { KEY_FILTERS, KeyTemplate } from '../../../lib/with-lock/key/key-template.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { PastedCode, removePasted } from '../../support/pasted-code.js';
import { codeBlocks, complaintsAbout, type CodeBlock } from '../../support/readme.js';

/** Ms: the compiler is to run beside other tests. */
const PATIENCE = 120_000;

const page = await readFile('docs/guides/keys.md', 'utf8');
const blocks = codeBlocks(page);

afterEach(async () => {
  await closeApps();
  await removePasted();
});

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

/** The cells of the row that begins so. */
function row(beginning: string): string[] {
  const line = page.split('\n').find((one) => one.startsWith(`| ${beginning}`))!;
  return line.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

describe('docs/guides/keys.md', () => {
  it(
    'has code that compiles, and that does not with the slips that it names',
    () => {
      expect(blocks.map(({ file }) => file)).toEqual([
        'orders.controller.ts',
        'sign-up.service.ts',
        'shipping.controller.ts',
      ]);
      expect(page.match(/```ts\n/g)).toHaveLength(3);
      const complaints = complaintsAbout([...blocks, mistyped('shipping.controller.ts')]);
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

  it('has handlers that lock what their comments say', async () => {
    const { OrdersController } = await (
      await PastedCode.write(blocks)
    ).run<{ OrdersController: Type }>('orders.controller.ts');
    const app = await TestApp.start('Express', {
      imports: [RedlockTestingModule.forRoot()],
      controllers: [OrdersController],
    });
    const order = { id: ' A7 ', customer: 'ann' };
    for (const path of ['orders', 'orders/pay', 'orders/7/cancel'])
      expect((await app.post(path, order)).status).toBe(201);
    const [, locked] = /' A7 ' locks (\S+)\.\n/.exec(page)!;
    const acquired = app.log.events.flatMap((event) => (event.type === 'acquired' ? [event.resources] : []));
    expect(acquired).toEqual([[locked], ['customer:ann', 'order: A7 '], ['order:7']]);
  });

  it('has a controller with typed keys that starts, and that locks by all of them', async () => {
    const { ShippingController } = await (
      await PastedCode.write(blocks)
    ).run<{ ShippingController: Type }>('shipping.controller.ts');
    const app = await TestApp.start('Express', {
      imports: [RedlockTestingModule.forRoot()],
      controllers: [ShippingController],
    });
    const order = { id: '7', customer: { email: ' A@B.example ' } };
    for (const path of ['pack', 'ship?carrier=post', 'notify', 'move/ann'])
      expect((await app.post(`shipping/${path}`, order)).status).toBe(201);
    expect(app.log.acquired).toEqual(['order:7', 'order:7', 'customer:a@b.example', 'customer:ann', 'order:7']);
  });

  it('has keys for a tenant and for a cookie', async () => {
    const lines = ['A tenant', 'A cookie'].map((name) =>
      page.split('\n').find((line) => line.startsWith(`- **${name}:**`))!,
    );
    const keys = [...codesIn(lines[0]!).slice(0, 2), /``(.+?) ``/.exec(lines[1]!)![1]!];
    const code = `import { Controller, Post, Req } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
@Controller()
export class Carts {
  ${keys.map((key, at) => `@Post('${at}') @WithLock(${key}) async by${at}(@Req() _request: { cookies: { cart?: string } }) {}`).join('\n  ')}
}`;
    const pasted = await PastedCode.write([{ file: 'carts.ts', code }]);
    const { Carts } = await pasted.run<{ Carts: Type }>('carts.ts');
    const metadata = { imports: [RedlockTestingModule.forRoot()], controllers: [Carts] };
    const app = await TestApp.start('Express', metadata, (nest) =>
      nest.use((request: object, _response: object, next: () => void) => {
        Object.assign(request, { user: { tenant: 'acme' }, cookies: { cart: '7' } });
        next();
      }),
    );
    for (const at of keys.keys())
      expect((await app.post(`${at}`, {}, { headers: { 'x-tenant': 'umbrella' } })).status).toBe(201);
    expect(app.log.acquired).toEqual(['tenant:acme', 'tenant:umbrella', 'cart:7']);
  });

  it('makes by hand the name that a handler makes', async () => {
    const { SignUpService } = await (await PastedCode.write(blocks)).run<{ SignUpService: Type }>('sign-up.service.ts');
    const metadata = { imports: [RedlockTestingModule.forRoot()], providers: [SignUpService] };
    const app = await TestApp.start('Express', metadata);
    await app.app.get<{ register(email: string): Promise<void> }>(SignUpService).register(' A@B.example ');
    expect(app.log.acquired).toEqual(['user:a@b.example']);
    const redlock = app.app.get(RedlockService);
    expect(redlock.key(['account:<0>', 'account:<1>'], 1, 2)).toEqual(['account:1', 'account:2']);
    expect(() => redlock.key('user:', 'ann')).toThrow(TypeError);
  });

  it('names the parts of all kinds of handlers, all filters and the limits', () => {
    const rootsOf = (beginning: string): string[] => codesIn(row(beginning)[2]!).map((code) => code.split('.')[0]!);
    for (const kind of [HTTP, GRAPHQL, RPC, WS])
      expect(rootsOf(kind.what)).toEqual(expect.arrayContaining([...kind.roots]));
    const [, filters] = /from left to right: (.+?)\. /.exec(page)!;
    expect(codesIn(filters!)).toEqual(Object.keys(KEY_FILTERS));
    const [, endings] = /The reserved endings are (.+)\.\n/.exec(page)!;
    expect(codesIn(endings!).sort()).toEqual(Object.values(RESERVED).sort());
    expect(row('more resources than `maxResources`')[1]).toContain(`(${MAX_RESOURCES})`);
  });

  it('names texts that are rejected when the class is defined', () => {
    const [, malformed = ''] = row('unknown root or filter');
    const [, strays = ''] = row('text that looks like a part');
    const texts = [...codesIn(malformed), ...codesIn(strays)];
    expect(texts.length).toBeGreaterThan(7);
    for (const text of texts) expect(() => new KeyTemplate(text === '%' ? '%:<0>' : text)).toThrow(TypeError);
  });
});
