import { describe, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { DEFAULT_LOCK_OPTIONS } from '../../lib/core/options.js';
import { codeBlocks, complaintsAbout, README } from '../support/readme.js';
import { startRedisServers, stopAll } from '../support/redis-server.js';

interface Payouts {
  export(day: string): Promise<string>;
}

/** Runs a block beside the others, as somebody who pastes it would. */
async function run<T>(file: string, exported = ''): Promise<T> {
  const folder = await mkdtemp(join('test', 'e2e', 'pasted-'));
  try {
    for (const block of codeBlocks()) await writeFile(join(folder, block.file), block.code);
    await appendFile(join(folder, file), exported);
    return (await import(`./${basename(folder)}/${file}`)) as T;
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('the README', () => {
  it('has a file name in each of its TypeScript blocks', () => {
    expect(codeBlocks().length).toBe(README.match(/```ts\n/g)!.length);
    expect(codeBlocks().length).toBeGreaterThanOrEqual(4);
  });

  it('has code that compiles', () => {
    expect(complaintsAbout(codeBlocks())).toEqual([]);
  });

  it('would notice code that does not compile', () => {
    const wrong = { file: 'wrong.ts', code: "import { WithLok } from 'nestjs-redlock';\nexport default WithLok;" };
    expect(complaintsAbout([wrong])).toEqual([expect.stringContaining('WithLok')]);
  });

  it('has a quick start that works when pasted', async () => {
    const nodes = await startRedisServers(3);
    process.env['REDLOCK_NODES'] = nodes.map(({ url }) => url).join(',');
    process.env['PORT'] = '0';
    const { app } = await run<{ app: INestApplication }>('quick-start.ts', '\nexport { app };');
    const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
    const headers = { 'content-type': 'application/json' };
    const register = (email: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/users`, { method: 'POST', headers, body: JSON.stringify({ email }) });
    const replies = await Promise.all([register('Ann@example.com'), register(' ann@example.com')]);
    expect(await Promise.all(replies.map(async (reply) => [reply.status, await reply.json()]))).toEqual([
      [201, { users: 1 }],
      [201, { users: 1 }],
    ]);
    expect((await register('')).status).toBe(400);
    await app.close();
    await stopAll(nodes);
  });

  it('shows how to test without Redis', async () => {
    const { testing, PayoutsService } = await run<{ testing: TestingModuleBuilder; PayoutsService: Type<Payouts> }>(
      'payouts.testing.ts',
      '\nexport { PayoutsService };',
    );
    const service = (await testing.compile()).get(PayoutsService);
    expect(await service.export('monday')).toBe('monday: 10000 ms left');
  });

  it('names the default of every lock option', () => {
    for (const [name, value] of Object.entries(DEFAULT_LOCK_OPTIONS)) {
      const row = README.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``));
      expect(row).toContain(value === Infinity ? 'no limit' : `${value as number | boolean}`);
    }
  });

  it('stays readable in one go', () => {
    expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(250);
  });
});
