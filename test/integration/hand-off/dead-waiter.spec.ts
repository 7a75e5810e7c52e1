import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { eventually } from '../../support/eventually.js';
import { crewOnNodes } from '../../support/lock-process/crew-on-nodes.js';
import type { LockProcess } from '../../support/lock-process/lock-process.js';
import { overlaps, type Turn } from '../../support/lock-process/turn.js';
import { linedUp, linesOf, nothingLeft } from '../../support/node-lines.js';
import { connectRedis } from '../../support/redis-client.js';
import { allDone, type RedisPoolClient } from '../../support/redis-pool.js';

/** Without polling: a waiter gets the lock only by hand-off. */
const PATIENT = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };

describe('a waiter that dies in line', () => {
  const { crew, pool } = crewOnNodes(5);
  let holder: RedisPoolClient;
  let monitors: Redis[] = [];
  beforeAll(async () => {
    holder = await pool.client();
  });
  afterEach(() => {
    for (const monitor of monitors.splice(0)) monitor.disconnect();
  });

  /** Lets each of them take a place in line, one after the other. */
  const lineUp = async (members: readonly LockProcess[], resource: string): Promise<Turn[]> => {
    const turns: Turn[] = [];
    for (const member of members) {
      turns.push(member.take({ resource, options: PATIENT }));
      await linedUp(pool, resource, members.slice(0, turns.length));
    }
    return turns;
  };
  const untilGone = ({ channel }: LockProcess): Promise<void> =>
    eventually(async () => {
      const listening = await Promise.all(
        pool.servers.map((_, server) => pool.ask(server, (redis) => redis.pubsub('NUMSUB', channel))),
      );
      expect(listening).toEqual(pool.servers.map(() => [channel, 0]));
    });

  it('first, between others and last is skipped by the release, which serves the others in order', async () => {
    const resource = pool.resource();
    const members = await crew.start(5, pool.urls);
    const lock = await holder.redlock.acquire(resource, { ttl: 60_000 });
    const turns = await lineUp(members, resource);
    const dead = members.filter((_, place) => place % 2 === 0);
    await Promise.all(dead.map((member) => member.kill()));
    await Promise.all(dead.map(untilGone));
    await lock.release();
    const alive = turns.filter((_, place) => place % 2 === 1);
    for (const turn of alive) {
      expect(await turn.outcome).toBe('acquired');
      await turn.release();
    }
    expect(overlaps((await Promise.all(alive.map(({ hold }) => hold))).map((hold) => hold!))).toEqual([]);
    await nothingLeft(pool, resource);
  });

  it('is skipped also where a monitoring tool listens to all channels of a node', async () => {
    const resource = pool.resource();
    const members = await crew.start(4, pool.urls);
    monitors = await Promise.all(pool.urls.map((url) => connectRedis(url)));
    await Promise.all(monitors.map((monitor) => monitor.psubscribe('*')));
    const lock = await holder.redlock.acquire(resource, { ttl: 60_000 });
    const turns = await lineUp(members, resource);
    await Promise.all(members.slice(0, 3).map((member) => member.kill()));
    await Promise.all(members.slice(0, 3).map(untilGone));
    await lock.release();
    await allDone(holder);
    expect(new Set(await pool.owners(resource)).size).toBe(1);
    expect(await turns[3]!.outcome).toBe('acquired');
    await turns[3]!.release();
    await nothingLeft(pool, resource);
  });

  it('at the moment of the release costs the next one a lease of the dead one at most', async () => {
    const resource = pool.resource();
    const [first, second] = (await crew.start(2, pool.urls)) as [LockProcess, LockProcess];
    const lock = await holder.redlock.acquire(resource, { ttl: 60_000 });
    first.take({ resource, options: { ...PATIENT, ttl: 1_000 } });
    await linedUp(pool, resource, [first]);
    const next = second.take({ resource, options: { ...PATIENT, retryDelay: 200 } });
    await linedUp(pool, resource, [first, second]);
    await Promise.all([first.kill(), lock.release()]);
    expect(await next.outcome).toBe('acquired');
    await next.release();
    await nothingLeft(pool, resource);
  });

  it('is skipped also where it is first on some nodes and second on others', async () => {
    const resource = pool.resource();
    const [dead, alive] = (await crew.start(2, pool.urls)) as [LockProcess, LockProcess];
    const lock = await holder.redlock.acquire(resource, { ttl: 60_000 });
    const [, turn] = await lineUp([dead, alive], resource);
    const [member] = await pool.ask(0, (redis) => redis.zrange(`${resource}~queue`, 0, '0'));
    for (const server of [1, 3]) {
      await pool.ask(server, (redis) => redis.zincrby(`${resource}~queue`, 1e9, member!));
    }
    expect((await linesOf(pool, resource, [1]))[0]).toEqual([alive.channel, dead.channel]);
    await dead.kill();
    await untilGone(dead);
    await lock.release();
    await allDone(holder);
    expect(await pool.owners(resource)).not.toContain(member!.split(' ')[1]);
    expect(await turn!.outcome).toBe('acquired');
    await turn!.release();
    await nothingLeft(pool, resource);
  });
});
