import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { nothingLeft } from '../../support/node-lines.js';
import { realNodes } from '../../support/real-nodes.js';
import { RedisPool } from '../../support/redis-pool.js';
import { TRUSTING } from '../../support/trust.js';

describe('a candidate that is closed when the nodes have just granted its lock', () => {
  let pool: RedisPool;
  let service: RedlockService;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    pool = await RedisPool.start(5);
    const clock = new SystemClock();
    service = new RedlockService(realNodes(pool.urls, clock, TRUSTING), { nodeTimeout: 3_000 }, { clock });
    await service.onModuleInit();
  });

  afterAll(async () => {
    await service.onApplicationShutdown();
    await pool.stop();
  });

  /** Closes the candidate so many microtasks after the grant; returns the events of the service and 'close', in order. */
  const closedAfter = async (microtasks: number, role: string): Promise<string[]> => {
    const seen: string[] = [];
    const granted = new Promise<void>((resolve) => {
      service.events$.subscribe(({ type }) => {
        seen.push(type);
        if (type === 'acquired') resolve();
      });
    });
    const candidate = service.lead(role, () => undefined);
    await granted;
    for (let count = 0; count < microtasks; count += 1) await Promise.resolve();
    seen.push('close');
    await candidate.close();
    return seen;
  };

  it('is not elected afterwards, whichever step the campaign is at, and gives the lock back', async () => {
    const early: number[] = [];
    for (let microtasks = 0; microtasks < 10; microtasks += 1) {
      const role = `role-${microtasks}`;
      const seen = await closedAfter(microtasks, role);
      expect(seen.slice(seen.indexOf('close'))).not.toContain('elected');
      if (!seen.includes('elected')) early.push(microtasks);
      expect(await service.leader(role)).toBeNull();
      await nothingLeft(pool, `leader:${role}`);
    }
    // Otherwise the sweep would not have met a campaign between the grant and the election.
    expect(early).not.toEqual([]);
  });
});
