import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Crew } from '../../support/lock-process/crew.js';
import type { LockProcess } from '../../support/lock-process/lock-process.js';
import { overlaps, type Hold } from '../../support/lock-process/turn.js';
import { nothingLeft, standing } from '../../support/node-lines.js';
import { RedisPool } from '../../support/redis-pool.js';

const WORKERS = ['a', 'b', 'c'];
const SECTIONS = 40;

describe('steady contention of three processes with three workers each', () => {
  let crew: Crew;
  let pool: RedisPool;
  let members: LockProcess[];
  let holds: Hold[];
  let calls: number[];

  beforeAll(async () => {
    [crew, pool] = await Promise.all([Crew.make(), RedisPool.start(5)]);
    members = await crew.start(3, pool.urls);
    const resource = pool.resource();
    const lock = await (await pool.client()).redlock.acquire(resource, { ttl: 60_000 });
    const working = members.flatMap((member) =>
      WORKERS.map((worker) =>
        member.work(worker, { resource, options: { retryDelay: 60_000, waitTimeout: 120_000 }, sections: SECTIONS }),
      ),
    );
    await standing(pool, 3, resource);
    await Promise.all(pool.servers.map((_, server) => pool.ask(server, (redis) => redis.config('RESETSTAT'))));
    await lock.release();
    await Promise.all(working);
    await nothingLeft(pool, resource);
    calls = await Promise.all(pool.servers.map((_, server) => callsOn(server)));
    holds = members.flatMap(({ holds: all }) => all).sort((a, b) => a.from - b.from);
  });
  afterAll(async () => {
    await crew.end();
    await pool.stop();
  });

  const callsOn = async (server: number): Promise<number> => {
    const stats = await pool.ask(server, (redis) => redis.info('commandstats'));
    const count = (name: string) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
    return count('evalsha') + count('eval');
  };
  const workerOf = ({ name }: Hold): string => name.split('/')[0]!;
  /** How often another process had it while this one waited: the greatest count of any other process. */
  const overtakings = ({ asked, from }: Hold): number => {
    const others = holds.filter((hold) => hold.from > asked && hold.from < from).map(workerOf);
    return Math.max(0, ...others.map((worker) => others.filter((other) => other === worker).length));
  };

  it('has no two holders at once', () => {
    expect(holds).toHaveLength(3 * WORKERS.length * SECTIONS);
    expect(overlaps(holds)).toEqual([]);
  });

  it('serves no process again and again while another one waits', () => {
    // In turn; a few more for a process that stood still between asking and sending what it asked.
    for (const hold of holds) expect(overtakings(hold)).toBeLessThanOrEqual(3);
  });

  it('costs no node more than three commands for each section', () => {
    for (const count of calls) expect(count / holds.length).toBeLessThanOrEqual(3);
  });
});
