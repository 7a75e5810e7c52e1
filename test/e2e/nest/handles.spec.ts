import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { RedlockModule, RedlockService, WithLock } from 'nestjs-redlock';
import { RedlockTesting, RedlockTestingModule, type RedlockTestingOptions } from 'nestjs-redlock/testing';
import { CLOSED_PORTS, poolOn } from '../../support/nest/nodes.js';
import { eventually } from '../../support/eventually.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

@Injectable()
class Jobs {
  @WithLock('job:<0>')
  async run(id: number): Promise<number> {
    return id;
  }
}

/** How many sockets and timers keep this process alive; Jest has things of its own. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((kind) => /^(TCP|Timeout|Immediate|GetAddrInfo)/.test(kind)).length;
}

describe('an application context that was closed', () => {
  let servers: RedisServer[];
  let before: number;

  beforeAll(async () => {
    servers = await startRedisServers(3);
    before = handles();
  });

  afterAll(() => stopAll());

  it.each<[string, () => readonly { url: string }[]]>([
    ['nodes', () => servers],
    ['nodes that cannot be reached', () => CLOSED_PORTS],
    ['some of each', () => [servers[0]!, servers[1]!, CLOSED_PORTS[0]!]],
  ])('leaves no connection and no timer behind: with %s', async (_case, nodes) => {
    const module = await Test.createTestingModule({
      imports: [poolOn(nodes(), { shutdownTimeout: 0, defaults: { waitTimeout: 0 } })],
      providers: [Jobs],
    }).compile();
    module.useLogger(false);
    await module.init();
    const jobs = module.get(Jobs);
    await Promise.allSettled(Array.from({ length: 10 }, (_, id) => jobs.run(id)));
    const left = await module
      .get(RedlockService)
      .acquire('left', { autoExtend: true })
      .catch(() => undefined);
    await module.close();
    expect(left?.isValid ?? false).toBe(false);
    // A socket that was closed is gone a little later.
    await eventually(() => {
      expect(handles()).toBeLessThanOrEqual(before);
    });
  });
});

describe('an application under test that was closed', () => {
  it.each<[NonNullable<RedlockTestingOptions['clock']>]>([['real'], ['manual']])(
    'leaves nothing behind that keeps the process alive, whatever was open on a %s clock',
    async (clock) => {
      const before = handles();
      const pool = RedlockModule.forRoot({ nodes: ['redis://127.0.0.1:1'] });
      const imports = [pool, RedlockTestingModule.forRoot({ clock, shutdownTimeout: 20 })];
      const module = await Test.createTestingModule({ imports }).compile();
      module.useLogger(false);
      await module.init();
      const [testing, redlock] = [module.get(RedlockTesting), module.get(RedlockService)];
      const kept = await redlock.acquire('kept', { autoExtend: true });
      testing.hold('held', { ttl: 60_000 });
      const given = [redlock.acquire('held'), redlock.acquire(['held', 'kept'], { waitTimeout: Infinity })].map(
        (promise) => promise.catch((error: { code: unknown }) => error.code),
      );
      await testing.until('contended', 'held', 2);
      testing.nodes[0]!.slow(600_000);
      const late = await redlock.acquire('late', { ttl: 5_000 });
      testing.nodes[1]!.freeze();
      const extended = late.extend().catch((error: { code: unknown }) => error.code);
      await module.close();
      expect(await Promise.all([...given, extended])).toEqual(['CLOSED', 'CLOSED', 'LOCK_LOST']);
      expect(kept.isValid).toBe(false);
      // A socket that an earlier test closed is gone a little later.
      await eventually(() => expect(handles()).toBeLessThanOrEqual(before));
    },
  );
});
