import { afterEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { readFileSync } from 'node:fs';
import { getRedlockToken } from '../../lib/redlock.tokens.js';
import { RedlockService } from '../../lib/redlock.service.js';
import { RedlockTesting, RedlockTestingModule } from '../../lib/testing/index.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { codeBlocks } from '../support/readme.js';
import { startRedisServers, stopAll } from '../support/redis-server.js';

/** Ms: other tests run beside it. */
const PATIENCE = 120_000;

const PAGE = readFileSync('docs/guides/service.md', 'utf8');
const BLOCKS = codeBlocks(PAGE);

describe('docs/guides/service.md', () => {
  it(
    'has the code that is run here',
    () => {
      expect(BLOCKS.map(({ file }) => file)).toEqual([
        'payouts.service.ts',
        'configured.module.ts',
        'billing.module.ts',
      ]);
      expect(PAGE.match(/```ts\n/g)).toHaveLength(BLOCKS.length);
    },
    PATIENCE,
  );

  it('says in each module what keeps new nodes out of the vote', () => {
    const modules = BLOCKS.filter(({ code }) => code.includes('RedlockModule.forRoot'));
    expect(modules.map(({ file }) => file)).toEqual(['configured.module.ts', 'billing.module.ts']);
    for (const { code } of modules) expect(code).toMatch(/ restartQuarantine: .+ === 'production',/);
  });
});

describe('an application with the modules of docs/guides/service.md', () => {
  let app: INestApplicationContext;

  afterEach(async () => {
    await app.close();
    await Promise.all([removePasted(), stopAll()]);
  });

  it('locks at once on new nodes, outside production, in both pools', async () => {
    const urls = (await startRedisServers(6)).map(({ url }) => url);
    process.env['REDLOCK_NODES'] = urls.slice(0, 3).join(',');
    process.env['BILLING_NODES'] = urls.slice(3).join(',');
    const pasted = await PastedCode.write(BLOCKS);
    const { ConfiguredModule } = await pasted.run<Record<string, Type>>('configured.module.ts');
    const { BillingModule, InvoicesService } = await pasted.run<Record<string, Type>>('billing.module.ts');
    const root = { module: class Root {}, imports: [ConfiguredModule!, BillingModule!] };
    app = await NestFactory.createApplicationContext(root, { logger: false });
    expect(await app.get(RedlockService).withLock('first', () => 'locked')).toBe('locked');
    const held = new Set<string>();
    const billing = app.get<RedlockService>(getRedlockToken('billing'));
    billing.events$.subscribe((event) => event.type === 'acquired' && held.add(event.resources.join()));
    const invoices = app.get<{ sendAll(ids: string[]): Promise<number> }>(InvoicesService!);
    expect(await invoices.sendAll(['7', '8'])).toBe(2);
    expect(held).toEqual(new Set(['invoices', 'invoice:7', 'invoice:8']));
  });
});

describe('the first example of docs/guides/service.md', () => {
  afterEach(removePasted);

  it('asks for one lock, and waits for two', async () => {
    const { PayoutsService } = await (await PastedCode.write(BLOCKS)).run<Record<string, Type>>('payouts.service.ts');
    const metadata = { imports: [RedlockTestingModule.forRoot()], providers: [PayoutsService!] };
    const module = await Test.createTestingModule(metadata).compile();
    const payouts = module.get<Record<string, (...names: string[]) => Promise<unknown>>>(PayoutsService!);
    const testing = module.get(RedlockTesting);
    const paid: string[] = [];
    payouts['pay'] = async (order) => paid.push(`${order} under ${testing.locked().join(' ')}`);
    await payouts['nightly']!();
    await payouts['transfer']!('b', 'a');
    expect(paid).toEqual(['all under nightly', 'b-a under account:a account:b']);
    testing.hold('nightly');
    await payouts['nightly']!();
    expect([paid.length, testing.locked()]).toEqual([2, ['nightly']]);
    await module.close();
  });
});
