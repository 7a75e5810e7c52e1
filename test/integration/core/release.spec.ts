import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
