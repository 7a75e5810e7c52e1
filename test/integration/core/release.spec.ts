import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LockLostError } from '../../../lib/engine/errors.js';
import { CountingClock } from '../../support/counting-clock.js';
import { eventually } from '../../support/eventually.js';
import { allDone, RedisPool } from '../../support/redis-pool.js';

describe('a release', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(3)));
  afterAll(() => pool.stop());

  /** A lock that was taken through proxies, and that the first of the nodes has forgotten since. */
  const forgottenByOne = async () => {
    const resource = pool.resource();
    const proxies = await pool.proxies();
    const client = await pool.client({ nodes: proxies.map(({ url }) => url) });
    const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
    await allDone(client);
    await pool.ask(0, (redis) => redis.del(resource));
    return { resource, proxies, client, lock };
  };

  it('of a lock that ran out or was stolen neither takes seconds nor fails, and touches no other', async () => {
    const resource = pool.resource();
    const { redlock } = await pool.client();
    const lock = await redlock.acquire(resource, { ttl: 100 });
    await once(lock.signal, 'abort');
    for (const server of pool.servers.keys()) await pool.plant(server, resource, { value: 'next' });
    const before = performance.now();
    await expect(lock.release()).resolves.toBeUndefined();
    expect(performance.now() - before).toBeLessThan(1_500);
    expect(await pool.owners(resource)).toEqual(['next', 'next', 'next']);
  });

  it("does not replace the work's error by its own where the lock ran out", async () => {
    const { redlock } = await pool.client();
    const work = redlock.withLock(
      pool.resource(),
      async ({ signal }) => {
        await once(signal, 'abort');
        throw new Error('business');
      },
      { ttl: 100, autoExtend: false },
    );
    await expect(work).rejects.toThrow('business');
  });

  it("does not replace the work's result by its own error where no node answers it", async () => {
    const proxies = await pool.proxies();
    const { redlock } = await pool.client({ nodes: proxies.map(({ url }) => url), nodeTimeout: 300 });
    const work = redlock.withLock(pool.resource(), () => {
      for (const proxy of proxies) proxy.blackhole = true;
      return 'result';
    });
    await expect(work).resolves.toBe('result');
    for (const proxy of proxies) proxy.blackhole = false;
    for (const proxy of proxies) proxy.resetAll();
  });

  it('says that the lock was lost only where the work itself went well', async () => {
    const { redlock } = await pool.client();
    const work = redlock.withLock(pool.resource(), ({ signal }) => once(signal, 'abort'), {
      ttl: 100,
      autoExtend: false,
    });
    await expect(work).rejects.toBeInstanceOf(LockLostError);
  });

  it('ends automatic extension for good, also one that is under way', async () => {
    const proxies = await pool.proxies();
    const clock = new CountingClock();
    const client = await pool.client({ nodes: proxies.map(({ url }) => url), clock });
    const lock = await client.redlock.acquire(pool.resource(), { ttl: 900, autoExtend: true });
    await allDone(client);
    const sent = () => proxies[0]!.commands.filter((name) => name === 'EVALSHA').length;
    const before = sent();
    for (const proxy of proxies) proxy.replyDelay = 150;
    await eventually(() => expect(sent()).toBe(before + 1));
    await lock.release();
    const after = sent();
    expect(after).toBe(before + 2);
    await setTimeout(1_000); // longer than the lease: whatever was armed again would have fired
    expect(sent()).toBe(after);
    expect(clock.timers).toBe(0);
    expect(client.events.map(({ type }) => type).filter((type) => !type.startsWith('node'))).toEqual([
      'acquired',
      'released',
    ]);
  });

  it('comes behind an extension and a healing on their way: no key stays', async () => {
    const { resource, proxies, client, lock } = await forgottenByOne();
    proxies[0]!.replyDelay = 200;
    await lock.extend(); // by nodes 2 and 3; node 1 is won back when its answer comes
    const extension = lock.extend().catch(() => undefined);
    await setTimeout(100); // anywhere in the 200 ms in which the healing is decided and sent
    await lock.release();
    await extension;
    await allDone(client);
    expect(await pool.owners(resource)).toEqual([null, null, null]);
  });

  it('comes behind a healing that was sent before it: no key stays', async () => {
    const { resource, proxies, client, lock } = await forgottenByOne();
    const arrived = () => proxies[0]!.commands.length;
    await lock.extend();
    await eventually(async () => expect(await pool.owners(resource, [0])).toEqual([lock.value]));
    await pool.ask(0, (redis) => redis.del(resource));
    proxies[0]!.requestDelay = 150;
    const before = arrived();
    await lock.extend();
    await eventually(() => expect(arrived()).toBeGreaterThan(before)); // the extension; the healing is on its way now
    await lock.release();
    await allDone(client);
    expect(await pool.owners(resource)).toEqual([null, null, null]);
  });
});
