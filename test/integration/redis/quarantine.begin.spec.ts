import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { RedisPool } from '../../support/redis-pool.js';
import { ONCE } from '../../support/redis-pool-client.js';
import { startTrusted, WARY, waryClient } from '../../support/wary-redis.js';

describe('restart quarantine', () => {
  let pool: RedisPool;
  afterEach(() => pool.stop());

  const marker = (): Promise<string | null> => pool.ask(0, (redis) => redis.get('~node'));

  describe('is not begun', () => {
    it('by a node that was made to forget the script', async () => {
      pool = await startTrusted(1);
      const client = await waryClient(pool);
      await client.redlock.acquire('a', ONCE);
      const before = await marker();
      await pool.ask(0, (redis) => redis.script('FLUSH'));
      await expect(client.redlock.acquire('b', ONCE)).resolves.toMatchObject({ isValid: true });
      expect([await marker(), client.count('node-quarantined')]).toEqual([before, 0]);
    });

    it('by a connection that broke', async () => {
      pool = await startTrusted(1);
      const [proxy] = await pool.proxies();
      const client = await waryClient(pool, { nodes: [proxy!.url] });
      await client.redlock.acquire('a', ONCE);
      const before = await marker();
      proxy!.resetAll();
      await client.untilTold('node-up', 2);
      await expect(client.redlock.acquire('b', ONCE)).resolves.toMatchObject({ isValid: true });
      expect([await marker(), client.count('node-quarantined')]).toEqual([before, 0]);
    });

    it('by a client that comes later', async () => {
      pool = await startTrusted(1);
      await (await waryClient(pool)).redlock.acquire('a', ONCE);
      await expect((await waryClient(pool)).redlock.acquire('b', ONCE)).resolves.toMatchObject({ isValid: true });
    });

    it('where it is off', async () => {
      pool = await RedisPool.start(1);
      const client = await waryClient(pool, { trust: { ...WARY, restartQuarantine: false } });
      await expect(client.redlock.acquire('a', ONCE)).resolves.toMatchObject({ isValid: true });
      expect(await marker()).toBeNull();
    });
  });

  it('begins for a new node when a client connects, and not with the first lock', async () => {
    pool = await RedisPool.start(1);
    await waryClient(pool);
    await eventually(async () => expect(await marker()).toMatch(/^[0-9a-f]{40}\|\d+\|1500$/));
  });
});
