import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import type { RedisNode } from '../../../lib/redis/redis-node.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { eventually } from '../../support/eventually.js';
import { realNodes } from '../../support/real-nodes.js';
import { RedisPool } from '../../support/redis-pool.js';
import { TRUSTING } from '../../support/trust.js';

const PROCESSES = 20;
const ROLES = 200;
/** Ms: candidates ask four times in it. */
const TTL = 10_000;
/** Ms: four rounds of questions. */
const SPAN = TTL;

describe(`${PROCESSES} services that are candidates for ${ROLES} roles`, () => {
  let pool: RedisPool;
  let services: RedlockService[];
  let elected = 0;

  const serviceOf = (): RedlockService => {
    const clock = new SystemClock();
    const nodes: RedisNode[] = realNodes(pool.urls, clock, TRUSTING);
    const service = new RedlockService(nodes, { maxTtl: 30_000, nodeTimeout: 3_000 }, { clock });
    service.events$.subscribe(({ type }) => void (elected += Number(type === 'elected')));
    return service;
  };

  beforeAll(async () => {
    Logger.overrideLogger(false);
    pool = await RedisPool.start(3);
    services = Array.from({ length: PROCESSES }, serviceOf);
    await Promise.all(services.map((service) => service.onModuleInit()));
  });

  afterAll(async () => {
    await Promise.all(services.map((service) => service.onApplicationShutdown()));
    await pool.stop();
  });

  const callsOn = async (server: number): Promise<number> => {
    const stats = await pool.ask(server, (redis) => redis.info('commandstats'));
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };
  const allCalls = (): Promise<number[]> => Promise.all(pool.servers.map((_, server) => callsOn(server)));
  const waitingIn = (role: string): Promise<number> => pool.ask(0, (redis) => redis.zcard(`leader:${role}~queue`));

  it('cost each node fewer than 200 commands a second', async () => {
    const roles = Array.from({ length: ROLES }, (_, index) => `role-${index}`);
    for (const service of services) {
      for (const role of roles) service.lead(role, () => undefined, { ttl: TTL });
      await setTimeout(50); // processes do not start in the same moment
    }
    await eventually(async () => {
      expect(elected).toBe(ROLES);
      expect(await waitingIn(roles.at(-1)!)).toBe(PROCESSES - 1);
    });
    await setTimeout(TTL / 4); // the first questions of all have been answered
    const [before, from] = [await allCalls(), performance.now()];
    await setTimeout(SPAN); // the span over which commands are counted
    const [after, seconds] = [await allCalls(), (performance.now() - from) / 1_000];
    const rates = after.map((calls, index) => (calls - before[index]!) / seconds);
    console.log(`evalsha a second and node: ${rates.map((rate) => rate.toFixed(1)).join(', ')}`);
    expect(elected).toBe(ROLES);
    for (const rate of rates) {
      expect(rate).toBeGreaterThan(0);
      expect(rate).toBeLessThan(200);
    }
  }, 60_000);
});
