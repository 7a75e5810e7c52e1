import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { RedlockService, WithLock, type LockOptions } from 'nestjs-redlock';
import { eventually } from '../../support/eventually.js';
import { endAll } from '../../support/nest/end-all.js';
import { logLines } from '../../support/nest/log-lines.js';
import { poolOn, type PoolOptions } from '../../support/nest/nodes.js';
import { TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

const MAX_TTL = 3_000;

@Controller()
class Orders {
  @Post('pay')
  @WithLock('order', { waitTimeout: 1_000 })
  async pay(): Promise<string> {
    return 'paid';
  }

  /** For longer than a test lasts. */
  @Post('pay-patiently')
  @WithLock('order', { waitTimeout: 60_000 })
  async payPatiently(): Promise<string> {
    return 'paid';
  }
}

describe('an application that starts on five new nodes', () => {
  let servers: RedisServer[];
  let lines: string[];
  const about = (words: RegExp): string[] => lines.filter((line) => words.test(line));
  const metadataOf = (options: PoolOptions) => ({
    imports: [poolOn(servers, { maxTtl: MAX_TTL, restartQuarantine: true, ...options })],
    controllers: [Orders],
  });
  const start = (options: PoolOptions = {}): Promise<TestApp> => TestApp.start('Express', metadataOf(options));

  beforeEach(async () => {
    servers = await startRedisServers(5);
    lines = logLines('warn', 'log');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await endAll();
  });

  it('says in one line that there are no locks, until when and why, and in one that there are', async () => {
    const app = await start();
    await app.log.until('node-quarantined', undefined, 5);
    await eventually(() => expect(about(/No locks/)).toHaveLength(1));
    expect(about(/No locks/)[0]).toMatch(
      /^warn: No locks for [23] s, until \d\d:\d\d:\d\d: 5 of 5 nodes are in quarantine.*expected at a first start.*restartQuarantine: false/,
    );
    // Nobody asks for a lock meanwhile.
    await eventually(() => expect(about(/Locks are possible/)).toHaveLength(1), 3 * MAX_TTL);
    expect(await app.post('pay')).toMatchObject({ status: 201, body: 'paid' });
    expect(about(/No locks|Locks are possible|vote/)).toEqual([
      expect.stringMatching(/No locks/),
      expect.stringMatching(/^log: Locks are possible: [345] of 5 nodes vote\.$/),
    ]);
  });

  it('answers at once, and says when to come again, where no wait would help', async () => {
    const app = await start({ maxTtl: 600_000 });
    await app.log.until('node-quarantined', undefined, 5);
    // Within the time that this test has.
    const refused = await app.post('pay-patiently');
    expect(refused).toMatchObject({ status: 503, body: { code: 'QUORUM_NOT_REACHED' } });
    const [, , left] = (await app.redlock.status()).nodes.map(({ votesIn = 0 }) => votesIn).sort((a, b) => a - b);
    expect(Number(refused.headers['retry-after']) * 1_000).toBeGreaterThanOrEqual(left!);
  });

  it('with waitForQuorum: true begins when locks are possible', async () => {
    const app = await start({ waitForQuorum: true });
    expect(about(/The start waits/)).toEqual([expect.stringMatching(/0 of 5 nodes vote, 3 needed/)]);
    expect(await app.post('pay')).toMatchObject({ status: 201, body: 'paid' });
    expect(app.log.count('contended')).toBe(0);
  });

  describe('with a provider that takes a lock before the application has started', () => {
    const early = (options: PoolOptions, lock: LockOptions = {}) => {
      const { imports } = metadataOf(options);
      const useFactory = (redlock: RedlockService) => redlock.withLock('migrations', async () => 'migrated', lock);
      return Test.createTestingModule({
        imports,
        providers: [{ provide: 'early', inject: [RedlockService], useFactory }],
      });
    };

    it('and waitForQuorum, waits until locks are possible', async () => {
      const module = await early({ waitForQuorum: true }).compile();
      expect(module.get('early')).toBe('migrated');
      await module.close();
    });

    it('and waitForQuorum of some ms, says why that was too short', async () => {
      await expect(early({ waitForQuorum: 300 }).compile()).rejects.toThrow(
        /No quorum of nodes within 300 ms \(waitForQuorum\): 0 of 5 nodes vote/,
      );
    });

    it('and waitForQuorum, waits no longer than its signal lets it', async () => {
      const compiled = early({ waitForQuorum: true }, { signal: AbortSignal.timeout(300) }).compile();
      await expect(compiled).rejects.toMatchObject({ name: 'TimeoutError' });
    });

    it('names waitForQuorum where it is not set', async () => {
      await expect(early({}).compile()).rejects.toThrow(
        /5 of 5 nodes are in quarantine.*This call came before the application had started.*: set waitForQuorum of RedlockModule/,
      );
    });

    it('does not name it once the application has started', async () => {
      const app = await start({ maxTtl: 600_000 });
      const refused = await app.redlock.acquire('a').catch(({ message }: Error) => message);
      expect(refused).toMatch(/5 of 5 nodes are in quarantine/);
      expect(refused).not.toMatch(/waitForQuorum/);
    });
  });

  it('with waitForQuorum of some ms does not begin where that is too short, says why, and leaves nothing open', async () => {
    const module = await Test.createTestingModule(metadataOf({ waitForQuorum: 300 })).compile();
    module.useLogger(false);
    await expect(module.init()).rejects.toThrow(
      /No quorum of nodes within 300 ms \(waitForQuorum\): 0 of 5 nodes vote, 3 needed; redis:.*votes in \d+ ms/,
    );
    await module.close();
  });
});
