import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { eventually } from '../../support/eventually.js';
import { nothingLeft, standing } from '../../support/node-lines.js';
import { RedisPool } from '../../support/redis-pool.js';

describe('the engine on real nodes', () => {
  let pool: RedisPool;
  beforeEach(async () => void (pool = await RedisPool.start(5)));
  afterEach(() => pool.stop());

  it('locks, hands over to another process, and leaves nothing behind', async () => {
    const [one, other] = [(await pool.client()).redlock, (await pool.client()).redlock];
    const first = await one.acquire('a');
    const next = other.acquire('a');
    await expect(other.tryAcquire('a')).resolves.toBeNull();
    await standing(pool, 1, 'a');
    await first.release();
    const second = await next;
    expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
    await second.extend();
    await second.release();
    const both = await Promise.all([one.withLock(['a', 'b'], () => 1), other.withLock(['b', 'a'], () => 2)]);
    expect(both).toEqual([1, 2]);
    await nothingLeft(pool, 'a');
    await nothingLeft(pool, 'b');
  });

  it('has one holder at a time while nodes are killed, frozen and restarted', async () => {
    const clients = await Promise.all([1, 2, 3].map(() => pool.client({ nodeTimeout: 500 })));
    let [inside, most, sections, latest] = [0, 0, 0, 0];
    const state = { isOver: false };
    const backwards: number[] = [];
    const work = async (redlock: Redlock): Promise<void> => {
      while (!state.isOver) {
        const options = { ttl: 1_000, waitTimeout: 10_000, quorumTimeout: 10_000 };
        await redlock
          .withLock(
            'shared',
            async ({ fencingToken }) => {
              most = Math.max(most, (inside += 1));
              if (fencingToken <= latest) backwards.push(fencingToken);
              latest = fencingToken;
              sections += 1;
              await sleep(1);
              inside -= 1;
            },
            options,
          )
          .catch((error: Error) => (error.name === 'LockLostError' ? undefined : Promise.reject(error)));
      }
    };
    const workers = clients.flatMap(({ redlock }) => [work(redlock), work(redlock)]);
    for (const [index, fault] of ['freeze', 'kill', 'freeze', 'kill'].entries()) {
      const server = pool.servers[index]!;
      await (fault === 'freeze' ? server.freeze() : server.kill());
      await sleep(400);
      await (fault === 'freeze' ? server.thaw() : server.restart());
      const before = sections;
      await eventually(() => expect(sections).toBeGreaterThan(before + 3), 20_000);
    }
    state.isOver = true;
    await Promise.all(workers);
    expect([most, backwards]).toEqual([1, []]);
  }, 120_000);
});
