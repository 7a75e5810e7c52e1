import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keepBusy } from '../../support/busy-node.js';
import { CountingClock } from '../../support/counting-clock.js';
import { eventually } from '../../support/eventually.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import { closeLoneNodes, LoneNode } from '../../support/lone-node.js';
import { standing } from '../../support/node-lines.js';
import { RedisPool } from '../../support/redis-pool.js';

const TTL = 60_000;
const TERMS = { ttl: TTL, waitTimeout: 20_000, retryDelay: 20 };
const NEVER_ASKS_AGAIN = { ttl: TTL, waitTimeout: 20_000, retryDelay: TTL };

describe('a node that is busy', () => {
  let pool: RedisPool;
  let proxy: FaultProxy;
  beforeEach(async () => {
    pool = await RedisPool.start(1);
    [proxy] = (await pool.proxies()) as [FaultProxy];
  });
  afterEach(async () => {
    await closeLoneNodes();
    await pool.stop();
  });

  const reason = async ({ redlock }: LoneNode): Promise<string | undefined> =>
    (await redlock.status()).nodes.map((node) => node.reason)[0];
  const untilBusy = (lone: LoneNode): Promise<void> =>
    eventually(async () => expect(await reason(lone)).toMatch(/^BUSY/));
  const untilAsked = (command: string, times: number): Promise<void> =>
    eventually(() => expect(proxy.commands.filter((name) => name === command).length).toBeGreaterThanOrEqual(times));
  const connections = async (): Promise<number> =>
    String(await pool.ask(0, (redis) => redis.client('LIST')))
      .trim()
      .split('\n').length;

  describe('when a client asks for its database', () => {
    it('votes as soon as it is no longer busy, in that database', async () => {
      const end = await keepBusy(pool.urls[0]!);
      const lone = await LoneNode.open(`${proxy.url}/1`);
      await lone.until('node-down');
      expect(lone.reasons('node-down')).toEqual([expect.stringMatching(/^BUSY/)]);
      await end();
      await lone.until('node-up');
      const lock = await lone.redlock.acquire('a', TERMS);
      const [inFirst, inSecond] = await pool.ask(0, async (redis) => {
        const first = await redis.get('a');
        await redis.select(1);
        return [first, await redis.get('a')];
      });
      expect([inFirst, inSecond]).toEqual([null, lock.value]);
    });

    it('votes again also where it was busy only when the connection had to be made again', async () => {
      const lone = await LoneNode.open(`${proxy.url}/1`);
      await lone.lock();
      const end = await keepBusy(pool.urls[0]!);
      proxy.resetAll();
      await untilBusy(lone);
      await end();
      await lone.until('node-up', 2);
      await lone.lock();
    });

    it('is asked again each second, and reported once; if it freezes then, an event says that it is silent, and it votes when it is neither', async () => {
      const end = await keepBusy(pool.urls[0]!);
      const lone = await LoneNode.open(`${proxy.url}/1`);
      await untilAsked('SELECT', 3);
      expect(await reason(lone)).toMatch(/^BUSY/);
      expect(lone.types.filter((type) => type === 'node-down')).toHaveLength(1);
      proxy.pause();
      await eventually(async () => expect(await reason(lone)).toMatch(/^silent/));
      proxy.resume();
      await untilBusy(lone);
      await end();
      await lone.until('node-up');
      await lone.lock();
    });
  });

  describe('when a client subscribes', () => {
    it('tells its waiters of grants as soon as it is no longer busy', async () => {
      const end = await keepBusy(pool.urls[0]!);
      const lone = await LoneNode.open(proxy.url);
      await untilAsked('INFO', 3);
      await end();
      await lone.until('node-up');
      const { redlock } = await pool.client();
      for (const terms of [TERMS, NEVER_ASKS_AGAIN]) {
        const resource = pool.resource();
        const lock = await redlock.acquire(resource, { ttl: TTL });
        const taking = lone.redlock.acquire(resource, terms);
        await standing(pool, 1, resource);
        await lock.release();
        await (await taking).release();
      }
      expect(lone.reasons('hand-off-unavailable')).toEqual([]);
    });
  });

  it.each([
    ['a database', 'SELECT', '/1'],
    ['a subscription', 'SUBSCRIBE', ''],
  ])('is asked no more for %s when the pool is closed, which leaves no timer', async (_, command, database) => {
    const end = await keepBusy(pool.urls[0]!);
    const clock = new CountingClock();
    const { redlock } = await pool.client({ nodes: [proxy.url + database], clock });
    await untilAsked(command, 3);
    await redlock.close();
    expect(clock.timers).toBe(0);
    await end();
    await eventually(async () => expect([await connections(), proxy.connections]).toEqual([1, 0]));
  });
});
