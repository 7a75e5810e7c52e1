import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockModule } from '../../lib/redlock.module.js';
import { RedlockService } from '../../lib/redlock.service.js';

const HOUR = 3_600_000;

describe('a pool that is not enabled, in a process whose wall clock is set', () => {
  let module: TestingModule;
  let redlock: RedlockService;
  const setWall = (ms: number): void => {
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
  };
  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const imports = [RedlockModule.forRoot({ enabled: false, shutdownTimeout: 0 })];
    module = await Test.createTestingModule({ imports }).compile();
    redlock = module.get(RedlockService);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await module.close();
  });

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
});
