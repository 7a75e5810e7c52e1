import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readFileSync } from 'node:fs';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { codeBlocks } from '../support/readme.js';
import { startRedisServers, stopAll } from '../support/redis-server.js';

interface Reports {
  book(account: string, amount: number): Promise<string>;
  export(day: string): Promise<string>;
  report(day: string): Promise<{ day: string }>;
  nightly(): Promise<void>;
}

const PAGE = readFileSync('docs/concepts/contention.md', 'utf8');
const BLOCKS = codeBlocks(PAGE);

let pasted: PastedCode;
let app: INestApplicationContext | undefined;

beforeEach(async () => {
  // A folder for each test: the module reads the environment when it is loaded.
  pasted = await PastedCode.write(BLOCKS);
});

afterEach(async () => {
  await app?.close();
  app = undefined;
  delete process.env['REDLOCK_NODES'];
  await stopAll();
  await removePasted();
});

/** The blocks of the page, as files beside each other; started with the environment of this moment. */
async function startPasted(): Promise<Reports> {
  const { AppModule } = await pasted.run<{ AppModule: Type }>('app.module.ts');
  const { ReportsService } = await pasted.run<{ ReportsService: Type<Reports> }>('reports.service.ts');
  app = await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
  return app.get(ReportsService);
}

/** What each of the example's methods does, with another call of it beside it. */
async function useAll(reports: Reports): Promise<void> {
  expect(await Promise.all([reports.book('a', 5), reports.book('a', 7)])).toEqual(['5 to a', '7 to a']);
  const exports = await Promise.allSettled([reports.export('Monday'), reports.export('Monday')]);
  expect(exports).toMatchObject([{ value: 'export-Monday.csv' }, { reason: { code: 'RESOURCE_LOCKED' } }]);
  const [first, second] = await Promise.all([reports.report('Monday'), reports.report('Monday')]);
  expect(first).toEqual({ day: 'Monday' });
  expect(second).toBe(first);
  expect(await Promise.all([reports.nightly(), reports.nightly()])).toEqual([undefined, undefined]);
}

describe('docs/concepts/contention.md', () => {
  it('has the code that is run here', () => {
    expect(BLOCKS).toHaveLength(2);
  }, 120_000);

  it('has an example that works when pasted, on Redis', async () => {
    const nodes = await startRedisServers(3);
    process.env['REDLOCK_NODES'] = nodes.map(({ url }) => url).join(',');
    await useAll(await startPasted());
  });

  it('has an example that works when pasted, without Redis', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    await useAll(await startPasted());
    warn.mockRestore();
  });
});
