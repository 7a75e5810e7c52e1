import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MAX_TTL } from '../../lib/engine/options.js';
import { RedlockService } from '../../lib/index.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { codeBlocks } from '../support/readme.js';
import { startRedisServers, stopAll } from '../support/redis-server.js';
import { vouchFor } from '../support/vouch.js';

const BLOCKS = codeBlocks(readFileSync('docs/operate/deploy.md', 'utf8'));

describe('docs/operate/deploy.md', () => {
  let app: INestApplicationContext | undefined;
  afterEach(async () => {
    await app?.close();
    app = undefined;
    await removePasted();
    await stopAll();
  });

  it('has the code that is run here', () => {
    expect(BLOCKS.map(({ file }) => file)).toEqual(['app.module.ts', 'main.ts']);
  }, 120_000);

  it('has an application that starts when enough nodes vote, and gives locks from then on', async () => {
    const servers = await startRedisServers(3);
    // Two of three: a quorum.
    for (const { url } of servers.slice(1)) await vouchFor(url, MAX_TTL, 'lock:');
    process.env['REDLOCK_NODES'] = servers.map(({ url }) => url).join(',');
    const pasted = await PastedCode.write(BLOCKS);
    const { AppModule } = await pasted.run<{ AppModule: Type }>('app.module.ts');
    delete process.env['REDLOCK_NODES'];
    app = await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
    const redlock = app.get(RedlockService);
    expect((await redlock.status()).nodes.map(({ votes }) => votes)).toEqual([false, true, true]);
    await expect(redlock.withLock('a', (lock) => lock.isValid)).resolves.toBe(true);
  });
});
