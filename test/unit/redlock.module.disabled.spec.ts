import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { SteadyClock } from '../../lib/core/time/steady-clock.js';
import { machineClocks } from '../../lib/core/time/suspension-watch.js';
import { MemoryNode } from '../../lib/memory/memory-node.js';
import { RedlockModule } from '../../lib/redlock.module.js';
import { RedlockService } from '../../lib/redlock.service.js';

const HOUR = 3_600_000;

describe('a pool that is not enabled, in a process whose wall clock is set', () => {
  let redlock: RedlockService;
  /** Ms by which the wall clock of the machine has been set forward. */
  let ahead: number;
  const setWall = (ms: number): void => {
    ahead = ms;
  };
  beforeEach(() => {
    ahead = 0;
    const clock = new SteadyClock({ ...machineClocks, wall: () => machineClocks.wall() + ahead });
    redlock = new RedlockService(
      [new MemoryNode('this process', clock, { maxTtl: 30_000 })],
      { enabled: false, shutdownTimeout: 0 },
      { clock },
    );
  });
  afterEach(() => redlock.onApplicationShutdown());

  it.each([HOUR, -HOUR])('has no second holder: by %d ms', async (ms) => {
    const lock = await redlock.acquire('a', { ttl: 20_000 });
    setWall(ms);
    await expect(redlock.tryAcquire('a')).resolves.toBeNull();
    expect(lock.isValid).toBe(true);
    await expect(lock.extend()).resolves.toBeUndefined();
  });

  it.each([HOUR, -HOUR])('has locks that end: by %d ms', async (ms) => {
    await redlock.acquire('a', { ttl: 200 });
    setWall(ms);
    await expect(redlock.acquire('a', { waitTimeout: 10_000 })).resolves.toMatchObject({ isValid: true });
  });

  it.each([HOUR, -HOUR])('gives further locks, with greater tokens: by %d ms', async (ms) => {
    const first = await redlock.acquire('a');
    await first.release();
    setWall(ms);
    const second = await redlock.acquire('a', { waitTimeout: 0 });
    expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
  });

  it('tells no clock apart from its own', async () => {
    setWall(HOUR);
    expect((await redlock.status()).nodes).toMatchObject([{ up: true, votes: true, clockOffset: 0 }]);
  });

  it('has that clock in an application', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const looks = jest.spyOn(SteadyClock.prototype, 'now');
    const module = await Test.createTestingModule({ imports: [RedlockModule.forRoot({ enabled: false })] }).compile();
    await (await module.get(RedlockService).acquire('a')).release();
    expect(looks).toHaveBeenCalled();
    jest.restoreAllMocks();
    await module.close();
  });
});
