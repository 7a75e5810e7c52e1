import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Crew } from '../../support/lock-process/crew.js';
import type { LockProcess } from '../../support/lock-process/lock-process.js';
import { RedisPool } from '../../support/redis-pool.js';
import { vouchFor } from '../../support/vouch.js';

const TRUST = { maxTtl: 600_000, restartQuarantine: true };
const RESOURCES = 25;

describe('callers of two processes that want the same free resource', () => {
  let crew: Crew;
  let pool: RedisPool;
  beforeAll(async () => {
    crew = await Crew.make();
  });
  afterEach(async () => {
    await crew.killAll();
    await pool.stop();
  });
  afterAll(() => crew.end());

  /** Processes on five nodes, of which so many are in quarantine, and so many are down. */
  const start = async (out: number, down: number): Promise<LockProcess[]> => {
    pool = await RedisPool.start(5);
    await Promise.all(pool.urls.slice(out + down).map((url) => vouchFor(url, TRUST.maxTtl)));
    const members = await crew.start(2, pool.urls, { trust: TRUST });
    await Promise.all(pool.servers.slice(out, out + down).map((server) => server.stop()));
    return members;
  };

  it.each([
    [3, 0],
    [2, 1],
    [1, 2],
  ])('are told that there is no quorum, where %i of five nodes are in quarantine and %i down', async (out, down) => {
    const members = await start(out, down);
    const codes: string[] = [];
    for (const waitTimeout of [0, 300, 0, 300]) {
      const options = { waitTimeout, retryDelay: 5, retryJitter: 5 };
      const resources = Array.from({ length: RESOURCES }, () => pool.resource());
      const turns = resources.flatMap((resource) => members.map((member) => member.take({ resource, options })));
      codes.push(...(await Promise.all(turns.map(({ outcome }) => outcome))));
    }
    expect(codes).toEqual(Array(4 * 2 * RESOURCES).fill('QUORUM_NOT_REACHED'));
  });
});
