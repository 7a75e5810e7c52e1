import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeCredentials } from '../../../lib/redis/connection/settings/credentials.js';
import type { NodeOptions } from '../../../lib/redis/connection/settings/node-options.js';
import { eventually } from '../../support/eventually.js';
import { closeLoneNodes, LoneNode } from '../../support/lone-node.js';
import { connectRedis, endConnections, withRedis } from '../../support/redis-client.js';
import { startRedisServer, stopAll, type RedisServer } from '../../support/redis-server.js';

const ONCE = { waitTimeout: 0 };
const USER = ['on', 'resetpass', '~*', '&*', '+@all'];

describe('a node with credentials()', () => {
  let server: RedisServer;
  /** What the function returns; it counts its calls. */
  let answer: () => unknown;
  let calls: number;
  beforeEach(async () => {
    [answer, calls] = [() => ({ username: 'locks', password: 'first' }), 0];
    server = await startRedisServer();
    await withRedis(server.url, (redis) => redis.call('ACL', 'SETUSER', 'locks', ...USER, '>first'));
    await withRedis(server.url, (redis) => redis.call('ACL', 'SETUSER', 'admin', ...USER, '>admin'));
    await withRedis(server.url, (redis) => redis.call('ACL', 'SETUSER', 'default', 'off'));
  });
  afterEach(async () => {
    await closeLoneNodes();
    await stopAll();
  });

  const open = (more: NodeOptions = {}): Promise<LoneNode> => {
    const credentials = (): NodeCredentials => {
      calls += 1;
      return answer() as NodeCredentials;
    };
    return LoneNode.open({ host: server.host, port: server.port, credentials, ...more });
  };
  /** Sets the password of the user, and ends all connections. */
  const rotateTo = async (password: string): Promise<void> => {
    const redis = await connectRedis(server.url, { username: 'admin', password: 'admin' });
    await redis.call('ACL', 'SETUSER', 'locks', 'resetpass', `>${password}`);
    await endConnections(redis);
    redis.disconnect();
  };
  const refused = (lone: LoneNode): Promise<unknown> =>
    expect(lone.redlock.acquire('a', ONCE)).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });

  it('logs in by what the function returns, and asks it once for each connection', async () => {
    const lone = await open();
    await lone.lock();
    await lone.lock();
    expect([lone.types.filter((type) => type.startsWith('node-')), calls]).toEqual([['node-up'], 1]);
  });

  it('is up again by itself after the password was rotated', async () => {
    answer = async () => ({ username: 'locks', password: 'first' });
    const lone = await open();
    await lone.lock();
    answer = async () => ({ username: 'locks', password: 'second' });
    await rotateTo('second');
    await lone.until('node-up', 2);
    await lone.lock();
    expect(lone.types).not.toContain('node-warning');
  });

  it('takes the user from the function, too, and no old one where there is none any more', async () => {
    const lone = await open();
    await lone.lock();
    const redis = await connectRedis(server.url, { username: 'admin', password: 'admin' });
    await redis.call('ACL', 'SETUSER', 'default', 'on', 'resetpass', '>third');
    answer = () => ({ password: 'third' });
    await endConnections(redis);
    redis.disconnect();
    await lone.until('node-up', 2);
    await lone.lock();
  });

  it('says what to do where the function goes on returning an old password, once, until the node is up again', async () => {
    const lone = await open();
    await lone.lock();
    await rotateTo('second');
    const before = calls;
    await eventually(() => expect(calls).toBeGreaterThan(before + 3));
    await refused(lone);
    expect(lone.reasons('node-warning')).toEqual([
      expect.stringMatching(/^WRONGPASS .* - it does not accept this user and password: .*credentials\(\)/),
    ]);
    answer = () => ({ username: 'locks', password: 'second' });
    await lone.until('node-up', 2);
    await lone.lock();
    await rotateTo('third');
    await lone.until('node-warning', 2);
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('the vault is sealed');
      },
      /^credentials\(\) failed: the vault is sealed$/,
    ],
    [
      'returns a text',
      () => 's3cret',
      /failed: it has to return \{ username\?, password\?, tls\? \}, and has returned a value of type string$/,
    ],
  ])('waits with a reason, and tries again, where the function %s', async (_case, wrong, reason) => {
    const right = answer;
    answer = wrong;
    const lone = await open();
    await lone.until('node-down');
    await refused(lone);
    const [node] = (await lone.redlock.status()).nodes;
    expect([node?.up, node?.reason]).toEqual([false, expect.stringMatching(reason)]);
    await eventually(() => expect(calls).toBeGreaterThan(2));
    expect(lone.reasons('node-down')).toEqual([expect.stringMatching(reason)]);
    expect(JSON.stringify(lone.events)).not.toContain('s3cret');
    answer = right;
    await lone.until('node-up');
    await lone.lock();
    expect(lone.types.filter((type) => type.startsWith('node-'))).toEqual(['node-down', 'node-up']);
  });

  it('warns once where the function fails after the node was up, and never calls it without a pause', async () => {
    const lone = await open();
    await lone.lock();
    answer = () => Promise.reject(new Error('no token'));
    const before = calls;
    const since = performance.now();
    await rotateTo('second');
    await eventually(() => expect(calls).toBeGreaterThan(before + 3));
    // The pauses are 250, 500 and 1000 ms, less a quarter.
    expect(performance.now() - since).toBeGreaterThan(0.75 * (250 + 500 + 1_000));
    expect(lone.reasons('node-warning')).toEqual(['credentials() failed: no token']);
    expect(lone.types.filter((type) => type === 'node-down')).toHaveLength(1);
  });

  it('is not asked while the function takes its time, and is up as soon as that answers', async () => {
    let give: (credentials: object) => void = () => undefined;
    answer = () => new Promise((resolve) => (give = resolve));
    const lone = await open();
    await refused(lone);
    const [node] = (await lone.redlock.status()).nodes;
    expect(node?.reason).toBe('its credentials() has not answered yet');
    give({ username: 'locks', password: 'first' });
    await lone.until('node-up');
    await lone.lock();
    expect(calls).toBe(1);
  });

  it('opens no connection where the pool was closed while the function took its time', async () => {
    let give: (credentials: object) => void = () => undefined;
    answer = () => new Promise((resolve) => (give = resolve));
    const lone = await open();
    await lone.close();
    give({ username: 'locks', password: 'first' });
    const redis = await connectRedis(server.url, { username: 'admin', password: 'admin' });
    const list = (await redis.call('CLIENT', 'LIST')) as string;
    redis.disconnect();
    expect(list).not.toContain('user=locks');
  });
});
