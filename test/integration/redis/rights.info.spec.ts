import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { RedisPool } from '../../support/redis-pool.js';
import { ONCE } from '../../support/redis-pool-client.js';
import { startTrusted, WARY } from '../../support/wary-redis.js';

describe('a user that is given the right to INFO while it is connected', () => {
  let pool: RedisPool;
  afterEach(() => pool.stop());

  const setUser = (...rules: readonly string[]): Promise<unknown> =>
    pool.ask(0, (redis) => redis.call('ACL', 'SETUSER', 'app', ...rules));

  it('has its votes as soon as it is known which server they come from', async () => {
    pool = await startTrusted(1);
    await setUser('on', '>secret', '~*', '&*', '+@all', '-info');
    const { host, port } = pool.servers[0]!;
    const client = await pool.client({ nodes: [{ host, port, username: 'app', password: 'secret' }], trust: WARY });
    await client.untilTold('node-up');
    expect((await client.refusal()).nodes).toMatchObject([
      { outcome: 'unknown', detail: expect.stringMatching(/INFO/) },
    ]);
    expect(client.nodes[0]!.runId).toBeUndefined();
    await setUser('+info');
    await eventually(async () => {
      const lock = await client.redlock.acquire('a', ONCE);
      await lock.release();
    }, 10_000);
    expect(client.nodes[0]!.runId).toMatch(/^\w{40}$/);
    expect(client.count('node-up')).toBe(2);
  });
});
