import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { RedisPool, type RedisClientSettings, type RedisPoolClient } from '../../support/redis-pool.js';
import { count, ONCE, startTrusted, untilTold } from '../../support/wary-redis.js';

const MAX_TTL = 1_500;
const trust = { maxTtl: MAX_TTL, restartQuarantine: true };

describe('restart quarantine', () => {
  let pool: RedisPool;
  afterEach(() => pool.stop());

  const clientOf = (settings: RedisClientSettings = {}): Promise<RedisPoolClient> =>
    pool.client({ trust, ...settings });
  const marker = (): Promise<string | null> => pool.ask(0, (redis) => redis.get('~node'));

  describe('is not begun', () => {
    it('by a node that was made to forget the script', async () => {
      pool = pool = await startTrusted(1, MAX_TTL);
      const client = await clientOf();
      await client.redlock.acquire('a', ONCE);
      const before = await marker();
      await pool.ask(0, (redis) => redis.script('FLUSH'));
      await expect(client.redlock.acquire('b', ONCE)).resolves.toMatchObject({ isValid: true });
      expect([await marker(), count(client, 'node-quarantined')]).toEqual([before, 0]);
    });

    it('by a connection that broke', async () => {
      pool = pool = await startTrusted(1, MAX_TTL);
      const [proxy] = await pool.proxies();
      const client = await clientOf({ nodes: [proxy!.url] });
      await client.redlock.acquire('a', ONCE);
      const before = await marker();
      proxy!.resetAll();
      await untilTold(client, 'node-up', 2);
      await expect(client.redlock.acquire('b', ONCE)).resolves.toMatchObject({ isValid: true });
      expect([await marker(), count(client, 'node-quarantined')]).toEqual([before, 0]);
    });

    it('by a client that comes later', async () => {
      pool = pool = await startTrusted(1, MAX_TTL);
      await (await clientOf()).redlock.acquire('a', ONCE);
      await expect((await clientOf()).redlock.acquire('b', ONCE)).resolves.toMatchObject({ isValid: true });
    });

    it('where it is off', async () => {
      pool = await RedisPool.start(1);
      const client = await clientOf({ trust: { ...trust, restartQuarantine: false } });
      await expect(client.redlock.acquire('a', ONCE)).resolves.toMatchObject({ isValid: true });
      expect(await marker()).toBeNull();
    });
  });

  it('begins for a new node when somebody connects, and not with the first lock', async () => {
    pool = await RedisPool.start(1);
    await clientOf();
    await eventually(async () => expect(await marker()).toMatch(/^[0-9a-f]{40}\|\d+\|1500$/));
  });
});
