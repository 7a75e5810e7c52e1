import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Observable, type Subscribable } from 'rxjs';
import type { Redlock } from '../../../../lib/engine/redlock.js';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';
import { streamLocked } from '../../../../lib/with-lock/run/locked-stream.js';
import { MemoryPool } from '../../../support/memory-pool.js';

/** The stream of a handler whose clean-up fails, as the interceptor opens it: of an Observable, RxJS itself drops such an error. */
const source: Subscribable<number> = {
  subscribe: (observer) =>
    new Observable<number>(() => () => {
      throw new Error('the clean-up of the user');
    }).subscribe(observer),
};

describe('streamLocked, when the clean-up of its handler fails as the lock is lost', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  let logged: unknown[][];
  let outcome: Promise<unknown>;

  beforeEach(async () => {
    logged = [];
    jest.spyOn(Logger.prototype, 'error').mockImplementation((...line) => void logged.push(line));
    pool = new MemoryPool();
    ({ redlock } = pool.client());
    const plan = toPlan('a', { ttl: 1_000, autoExtend: false }, 'here');
    const locked = streamLocked({ service: redlock, plan, resources: () => ['a'] }, () => source);
    outcome = new Promise((resolve) => locked.subscribe({ error: resolve }));
    await pool.clock.advance(10);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('tells the subscriber of the loss, and the log of the clean-up', async () => {
    await pool.clock.advance(1_000);
    await expect(outcome).resolves.toMatchObject({ code: 'LOCK_LOST' });
    expect(logged).toEqual([[expect.stringMatching(/lost its lock/), expect.any(Error)]]);
    expect(String(logged[0]![1])).toMatch(/the clean-up of the user/);
  });

  it('delays no other caller', async () => {
    await pool.clock.until(redlock.acquire('b', { ttl: 20_000 }));
    const ends = [1_000, 1_030, 1_060].map((waitTimeout) => redlock.acquire('b', { waitTimeout }).catch(() => now()));
    const now = (): number => pool.clock.now().monotonic;
    // All timers are late, and run together with the one that finds the loss.
    pool.clock.block(1_100);
    expect(await pool.clock.until(Promise.all(ends))).toEqual([1_110, 1_110, 1_110]);
  });

  it('does not keep a shutdown from taking the other locks back', async () => {
    const other = await pool.clock.until(redlock.acquire('z', { ttl: 20_000 }));
    await pool.clock.until(redlock.drain(100));
    expect([other.isValid, pool.owners('a'), pool.owners('z')]).toEqual([
      false,
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
    ]);
  });
});
