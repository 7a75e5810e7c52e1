import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { eventually } from '../../support/eventually.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import { standing } from '../../support/node-lines.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

const ONCE = { waitTimeout: 0 };
const NO_QUORUM = { code: 'QUORUM_NOT_REACHED' };

describe('a pool of which one address comes to lead to the server of another', () => {
  let pool: RedisPool;
  let moving: FaultProxy;
  let client: RedisPoolClient;
  let resource: string;
  beforeEach(async () => {
    pool = await RedisPool.start(3);
    moving = (await pool.proxies())[1]!;
    const [first, , third] = pool.urls;
    client = await pool.client({ nodes: [first!, moving.url, third!] });
    resource = pool.resource();
  });
  afterEach(() => pool.stop());

  const why = (): string => `it leads to the same server as ${pool.urls[0]}, which must not vote twice`;
  /** Resolves when the second address leads there, and the pool knows that it does. */
  const moveTo = async (server: number): Promise<void> => {
    const before = ups();
    moving.redirect(pool.servers[server]!);
    await eventually(() => expect(ups()).toBe(before + 1));
  };
  const ups = (): number =>
    client.events.filter((event) => event.type === 'node-up' && event.node === moving.url).length;
  const warnings = (): unknown[] => client.events.filter(({ type }) => type === 'node-warning');
  const reasons = async (taking: Promise<unknown>): Promise<unknown> => {
    const error: unknown = await taking.catch((reason: unknown) => reason);
    expect(error).toMatchObject(NO_QUORUM);
    return (error as { nodes: readonly { detail?: string }[] }).nodes[1]!.detail;
  };

  it('counts no vote of one server twice, and says why', async () => {
    await moveTo(0);
    await pool.servers[2]!.kill();
    expect(await reasons(client.redlock.acquire(resource, ONCE))).toBe(why());
    expect(warnings()).toEqual([{ type: 'node-warning', node: moving.url, reason: why() }]);
    const { nodes, quorumReachable } = await client.redlock.status();
    expect(nodes[1]).toEqual({ node: moving.url, up: true, votes: false, reason: why(), clockOffset: 0 });
    expect([nodes[0]!.votes, quorumReachable]).toEqual([true, false]);
  });

  it('counts no grant of one server twice, and gives back none', async () => {
    const other = await pool.client();
    const held = await other.redlock.acquire(resource, { ttl: 60_000 });
    await moveTo(0);
    const giveUp = new AbortController();
    const taking: Promise<Lock> = client.redlock.acquire(resource, {
      ttl: 60_000,
      waitTimeout: 60_000,
      retryDelay: 20,
      retryJitter: 5,
      signal: giveUp.signal,
    });
    const given = taking.then(() => 'given').catch(() => 'not given');
    await standing(pool, 1, resource, [0, 2]);
    await pool.servers[2]!.kill();
    await held.release();
    await eventually(async () => expect(await pool.owners(resource, [0])).not.toEqual([held.value]));
    await expect(client.redlock.tryAcquire(pool.resource())).rejects.toMatchObject(NO_QUORUM);
    giveUp.abort();
    expect(await given).toBe('not given');
  });

  it('counts its votes again once it leads elsewhere', async () => {
    await moveTo(0);
    await moveTo(1);
    await pool.servers[2]!.kill();
    const lock = await client.redlock.acquire(resource, ONCE);
    expect(await pool.owners(resource, [0, 1])).toEqual([lock.value, lock.value]);
    expect((await client.redlock.status()).nodes[1]).toEqual({
      node: moving.url,
      up: true,
      votes: true,
      latency: expect.any(Number),
      clockOffset: 0,
    });
  });

  it('sends what it owes there only where it belongs', async () => {
    const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
    // The other two are a quorum, so that its own vote may still be on its way.
    await eventually(async () => expect(await pool.owners(resource, [1])).toEqual([lock.value]));
    moving.blackhole = true;
    moving.resetAll();
    await eventually(() => expect(client.events).toContainEqual(expect.objectContaining({ type: 'node-down' })));
    await lock.release();
    moving.blackhole = false;
    await moveTo(0);
    await pool.plant(0, resource, { value: lock.value });
    expect(await pool.owners(resource, [1])).toEqual([lock.value]);
    await moveTo(1);
    await eventually(async () => expect(await pool.owners(resource, [1])).toEqual([null]));
    expect(await pool.owners(resource, [0])).toEqual([lock.value]);
  });
});
