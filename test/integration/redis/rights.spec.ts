import { afterEach, describe, expect, it } from '@jest/globals';
import { reportOf } from '../../../lib/terminus/redlock-health.indicator.js';
import { eventually } from '../../support/eventually.js';
import { standing } from '../../support/node-lines.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { serverPrograms } from '../../support/redis-server.js';
import { grantRights, rightsInDocs } from '../../support/rights.js';
import { vouchFor } from '../../support/vouch.js';
import { ONCE } from '../../support/redis-pool-client.js';
import { startTrusted, WARY as TRUST } from '../../support/wary-redis.js';

/** Gets what is held by hand-off only. */
const IN_LINE = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };
const PATIENT = { retryDelay: 50, waitTimeout: 20_000 };
/** Ms; short enough to wait for the end of a quarantine. */
const MAX_TTL = 2_000;
const WARY = { maxTtl: MAX_TTL, restartQuarantine: true };

describe.each(serverPrograms())(
  'on %s, a user with the rights that the documentation lists, and no others,',
  (program) => {
    let pool: RedisPool;
    let urls: string[];
    const start = async (maxTtl: number): Promise<void> => {
      pool = await RedisPool.start(3, { program });
      await Promise.all(pool.urls.map((url) => vouchFor(url, maxTtl, 'lock:')));
      urls = await grantRights(pool, rightsInDocs());
    };
    const client = (trust = { ...WARY, maxTtl: 60_000 }): Promise<RedisPoolClient> =>
      pool.client({ nodes: urls, keyPrefix: 'lock:', trust });
    /** What any node has refused to the user. */
    const refused = async (): Promise<unknown[]> => {
      const logs = await Promise.all(pool.servers.map((_, server) => pool.ask(server, (redis) => redis.acl('LOG'))));
      return logs.flat();
    };
    const toldOf = (clients: readonly RedisPoolClient[]): string[] =>
      clients
        .flatMap(({ events }) => events.map(({ type }) => type))
        .filter((type) => /hand-off|node-refused|warning/.test(type));

    afterEach(() => pool.stop());

    it('takes, extends, hands over, gives way, gives back and closes, and is refused nothing', async () => {
      await start(60_000);
      const clients = [await client(), await client(), await client()];
      const [one, two, three] = clients.map(({ redlock }) => redlock);
      const resource = pool.resource();
      const first = await one!.acquire(resource, IN_LINE);
      const second = two!.acquire(resource, IN_LINE);
      await standing(pool, 1, `lock:${resource}`);
      const waiting = three!.acquire(resource, IN_LINE);
      await standing(pool, 2, `lock:${resource}`);
      await first.extend();
      await first.release();
      // Whoever came first, as far as the clocks of two new clients can tell.
      await Promise.all([second, waiting].map(async (taking) => (await taking).release()));
      // Several resources at once, of which one is waited for, and a caller that leaves its line.
      const held = await two!.acquire(resource, IN_LINE);
      const leaving = new AbortController();
      const left = three!.acquire(resource, { ...IN_LINE, signal: leaving.signal });
      await standing(pool, 1, `lock:${resource}`);
      leaving.abort(new Error('it leaves'));
      await expect(left).rejects.toThrow('it leaves');
      const several = one!.acquire([resource, pool.resource()], IN_LINE);
      await standing(pool, 1, `lock:${resource}`);
      await held.release();
      const both = await several;
      await both.extend();
      await both.release();
      await expect(one!.tryAcquire(resource)).resolves.toMatchObject({ isValid: true });
      await Promise.all(clients.map(({ redlock }) => redlock.close()));
      expect([await refused(), toldOf(clients)]).toEqual([[], []]);
    });

    it('is up by the health check', async () => {
      await start(60_000);
      const { redlock } = await client();
      const report = reportOf(await redlock.status(), {});
      expect(report).toMatchObject({ state: 'up', data: { votes: 3, margin: 1 } });
      expect(await refused()).toEqual([]);
    });

    it('goes through the quarantine of a node that forgot its locks, and has its vote again', async () => {
      await start(MAX_TTL);
      const wary = await client(WARY);
      await pool.ask(0, (redis) => redis.flushall());
      await expect(wary.redlock.status()).resolves.toMatchObject({ nodes: [{ votes: false }, {}, {}] });
      await wary.untilTold('node-quarantined');
      const lock = await wary.redlock.acquire(pool.resource(), PATIENT);
      await lock.release();
      await eventually(async () => {
        expect((await wary.redlock.status()).nodes).toMatchObject(Array(3).fill({ votes: true }));
      });
      expect([await refused(), toldOf([wary])]).toEqual([[], []]);
    });
  },
);

describe('a user without the right to all of INFO', () => {
  let pool: RedisPool;
  afterEach(() => pool.stop());

  const setUser = (...rules: readonly string[]): Promise<unknown> =>
    pool.ask(0, (redis) => redis.call('ACL', 'SETUSER', 'app', ...rules));

  const connect = async (...rules: readonly string[]): Promise<RedisPoolClient> => {
    pool = await startTrusted(1);
    await setUser('on', '>secret', '~*', '&*', '+@all', '-info', ...rules);
    const { host, port } = pool.servers[0]!;
    const client = await pool.client({ nodes: [{ host, port, username: 'app', password: 'secret' }], trust: TRUST });
    await client.untilTold('node-up');
    return client;
  };

  it('has votes if it may ask which server it is', async () => {
    const client = await connect('+info|server');
    await (await client.redlock.acquire('a', ONCE)).release();
    expect(client.nodes[0]!.runId).toMatch(/^\w{40}$/);
    expect([client.count('node-up'), client.count('node-warning')]).toEqual([1, 0]);
  });

  it('has votes once it is given the right, as soon as it is known which server they come from', async () => {
    const client = await connect();
    expect((await client.refusal()).nodes).toMatchObject([
      { outcome: 'refused', detail: expect.stringMatching(/INFO/) },
    ]);
    expect(client.nodes[0]!.runId).toBeUndefined();
    await setUser('+info');
    await eventually(async () => {
      const lock = await client.redlock.acquire('a', ONCE);
      await lock.release();
    }, 10_000);
    await eventually(() => expect(client.nodes[0]!.runId).toMatch(/^\w{40}$/));
    expect(client.count('node-up')).toBe(2);
  });
});
