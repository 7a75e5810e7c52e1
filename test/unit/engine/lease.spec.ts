import { beforeEach, describe, expect, it } from '@jest/globals';
import { LockLostError } from '../../../lib/engine/errors.js';
import type { Lock } from '../../../lib/engine/lock.js';
import { MemoryPool } from '../../support/memory-pool.js';

describe('Lock', () => {
  let pool: MemoryPool;
  let lock: Lock;

  beforeEach(async () => {
    pool = new MemoryPool();
    lock = await pool.clock.until(pool.client().redlock.acquire(['a', 'b'], { ttl: 1_000 }));
  });

  it('knows how long it is valid, by the clock', () => {
    expect(lock.validity).toBe(988);
    pool.clock.block(600);
    expect([lock.validity, lock.isValid]).toEqual([388, true]);
    pool.clock.block(388);
    expect([lock.validity, lock.isValid]).toEqual([0, false]);
  });

  it('is not valid after the machine was suspended for longer than the lease', () => {
    pool.clock.suspend(988);
    expect(lock.isValid).toBe(false);
    expect(() => lock.assertValid()).toThrow(LockLostError);
  });

  it('is not valid for longer because the wall clock was set back', () => {
    pool.clock.stepWall(-60_000);
    pool.clock.block(988);
    expect(lock.isValid).toBe(false);
  });

  it('ends as much earlier as the wall clock was set forward, which looks like a suspension', async () => {
    const { redlock } = pool.client();
    const stepped = await pool.clock.until(redlock.acquire('c', { ttl: 1_000 }));
    pool.clock.stepWall(300);
    expect(stepped.validity).toBe(688);
    pool.clock.stepWall(-300);
    expect(stepped.validity).toBe(988);
  });

  it('aborts its signal with the reason when the lease is over, no later', async () => {
    const { signal } = lock;
    let abortedAt;
    signal.addEventListener('abort', () => (abortedAt = pool.clock.now().monotonic));
    await pool.clock.advance(986);
    expect(signal.aborted).toBe(false);
    await pool.clock.advance(100);
    expect(abortedAt).toBeGreaterThan(986);
    expect(abortedAt).toBeLessThanOrEqual(988);
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', resources: ['a', 'b'] });
    expect((signal.reason as Error).message).toContain('its lease ran out');
  });

  it('has an aborted signal also where it is asked for only after the loss', async () => {
    await pool.clock.advance(1_000);
    expect(lock.signal.aborted).toBe(true);
    expect(lock.signal.reason).toBeInstanceOf(LockLostError);
    expect(lock.signal).toBe(lock.signal);
  });

  it('aborts its signal soon after the machine was suspended for longer than the lease', async () => {
    const { redlock } = pool.client();
    const { signal } = await pool.clock.until(redlock.acquire('c', { ttl: 60_000 }));
    pool.clock.suspend(60_000);
    // Timers stood still as well. The lease is looked at twelve times during its ttl.
    await pool.clock.advance(5_000);
    expect(signal.reason).toBeInstanceOf(LockLostError);
  });

  it('finds out about the end of its lease on the clock, before any timer runs', () => {
    const { signal } = lock;
    pool.clock.block(2_000);
    expect(() => lock.assertValid()).toThrow(LockLostError);
    expect(signal.aborted).toBe(true);
  });

  it('asserts that enough time is left', () => {
    pool.clock.block(600);
    expect(() => lock.assertValid(388)).not.toThrow();
    expect(() => lock.assertValid(389)).toThrow(/lost: less than 389 ms are left/);
    expect(lock.isValid).toBe(true);
  });

  it('is not valid once it was released, and says so', async () => {
    await pool.clock.until(lock.release());
    expect([lock.validity, lock.isValid]).toEqual([0, false]);
    expect(() => lock.assertValid()).toThrow(/it was released/);
    await expect(lock.extend()).rejects.toThrow(/it was released/);
  });

  it('does not abort its signal on an ordinary release', async () => {
    const { signal } = lock;
    await pool.clock.until(lock.release());
    await pool.clock.advance(5_000);
    expect(signal.aborted).toBe(false);
  });

  it('is released at the end of an "await using" block', async () => {
    await pool.clock.until(lock[Symbol.asyncDispose]());
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined]);
    expect(lock.isValid).toBe(false);
  });

  it('leaves no timer behind', async () => {
    await pool.clock.until(lock.release());
    expect(pool.clock.timers).toBe(0);
  });
});
