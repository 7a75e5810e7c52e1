import { beforeEach, describe, expect, it } from '@jest/globals';
import { RedlockClosedError } from '../../../lib/engine/errors.js';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

const FREE = [undefined, undefined, undefined];

describe('Redlock.drain', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  let events: LockEvent[];
  const now = () => pool.clock.now().monotonic;

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock, events } = pool.client());
  });

  it('ends at once where nothing is held', async () => {
    await pool.clock.until(redlock.drain(5_000));
    expect(now()).toBe(0);
    expect(pool.clock.timers).toBe(0);
  });

  it('takes no new locks', async () => {
    await pool.clock.until(redlock.drain(0));
    await expect(redlock.acquire('a')).rejects.toBeInstanceOf(RedlockClosedError);
    await expect(redlock.tryAcquire('a')).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(redlock.withLock('a', () => 'never')).rejects.toMatchObject({ code: 'CLOSED' });
    expect(pool.nodes[0]!.calls).toEqual([]);
  });

  it('sends waiting callers away', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign'));
    const waiting = redlock.acquire('a', { waitTimeout: Infinity });
    const caught = waiting.catch((error: unknown) => error);
    await pool.clock.advance(1_000);
    await pool.clock.until(redlock.drain(5_000));
    expect(await caught).toBeInstanceOf(RedlockClosedError);
    expect(now()).toBe(1_000);
    expect(pool.clock.timers).toBe(0);
  });

  it('lets holders finish, and extends their locks meanwhile', async () => {
    const work = redlock.withLock('a', () => pool.clock.sleep(3_000).then(() => 'done'), { ttl: 500 });
    await pool.clock.advance(100);
    await pool.clock.until(redlock.drain(5_000));
    expect(now()).toBe(3_000);
    await expect(work).resolves.toBe('done');
    expect(pool.owners('a')).toEqual(FREE);
    expect(pool.clock.timers).toBe(0);
  });

  it('lets holders take the locks that they need to finish', async () => {
    const work = redlock.withLock('a', async () => {
      await pool.clock.sleep(100);
      return redlock.withLock('b', () => 'done');
    });
    await pool.clock.advance(50);
    const drained = redlock.drain(5_000);
    await expect(pool.clock.until(work)).resolves.toBe('done');
    await pool.clock.until(drained);
    expect(now()).toBe(100);
  });

  it('waits for a plain lock until its holder releases it', async () => {
    const lock = await pool.clock.until(redlock.acquire('a'));
    pool.clock.schedule(700, () => void lock.release());
    await pool.clock.until(redlock.drain(5_000));
    expect(now()).toBe(700);
  });

  it('waits for a lock no longer than its lease lasts', async () => {
    await pool.clock.until(redlock.acquire('a', { ttl: 500 }));
    await pool.clock.until(redlock.drain(5_000));
    expect(now()).toBeLessThan(500);
  });

  it('takes locks that are still held after its limit from their holders, which are told by the signal', async () => {
    const lock = await pool.clock.until(redlock.acquire('a', { ttl: 60_000 }));
    const { signal } = lock;
    await pool.clock.until(redlock.drain(1_000));
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', message: expect.stringContaining('shutting down') });
    expect(now()).toBe(1_000);
    expect(lock.isValid).toBe(false);
    expect(pool.owners('a')).toEqual(FREE);
    expect(events.map(({ type }) => type)).toEqual(['acquired', 'lost']);
  });

  it('gives no further locks to a holder whose time is over', async () => {
    const work = redlock.withLock('a', async () => {
      await pool.clock.sleep(2_000);
      return redlock.withLock('b', () => 'never');
    });
    const caught = work.catch((error: unknown) => error);
    await pool.clock.advance(10);
    await pool.clock.until(redlock.drain(1_000));
    await pool.clock.until(caught);
    expect(await caught).toBeInstanceOf(RedlockClosedError);
    expect(pool.owners('b')).toEqual(FREE);
  });

  it('leaves nothing locked that a holder was still taking when its time was over', async () => {
    const caught = redlock
      .withLock('a', async () => {
        await pool.clock.sleep(990);
        pool.nodes.forEach((node) => (node.faults = { acquire: { slow: 30 } }));
        await redlock.acquire('b', { ttl: 60_000 });
      })
      .catch((error: unknown) => error);
    await pool.clock.advance(10);
    await pool.clock.until(redlock.drain(1_000));
    await pool.clock.until(caught);
    await pool.clock.advance(100);
    expect(pool.owners('b')).toEqual(FREE);
  });

  it('may be asked for twice; each ends when all holders have finished', async () => {
    const lock = await pool.clock.until(redlock.acquire('a'));
    const both = [redlock.drain(5_000), redlock.drain(6_000)];
    pool.clock.schedule(700, () => void lock.release());
    await pool.clock.until(Promise.all(both));
    expect(now()).toBe(700);
  });
});

describe('Redlock.close', () => {
  it('releases what is held, closes every node, and takes no new locks', async () => {
    const pool = new MemoryPool();
    const { redlock } = pool.client();
    await redlock.open();
    const lock = await pool.clock.until(redlock.acquire('a'));
    await pool.clock.until(redlock.close());
    expect(lock.isValid).toBe(false);
    expect(pool.nodes.map((node) => node.callsOf('release').length)).toEqual([1, 1, 1]);
    await expect(redlock.acquire('a')).rejects.toBeInstanceOf(RedlockClosedError);
    expect(pool.clock.timers).toBe(0);
  });
});

describe('a shutdown while the nodes answer a call', () => {
  let pool: MemoryPool;
  let redlock: Redlock;

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock } = pool.client());
  });

  it('releases what an attempt under way wins', async () => {
    pool.nodes.forEach((node) => (node.faults = { acquire: { slow: 20 } }));
    const taking = redlock.acquire('a').catch((error: unknown) => error);
    await pool.clock.advance(5);
    await pool.clock.until(redlock.drain(5_000));
    expect(await taking).toBeInstanceOf(RedlockClosedError);
    expect(pool.owners('a')).toEqual(FREE);
  });

  it('releases what was won in this turn, before its caller has it', async () => {
    const nextTurn = pool.clock.nextTurn.bind(pool.clock);
    let closed: Promise<unknown> | undefined;
    pool.clock.nextTurn = (task) => {
      nextTurn(task);
      if (pool.owners('a').every((owner) => owner !== undefined))
        closed ??= redlock.close().then(() => pool.owners('a'));
    };
    expect(await pool.clock.until(redlock.acquire('a').catch((error: unknown) => error))).toBeInstanceOf(
      RedlockClosedError,
    );
    expect(await pool.clock.until(closed!)).toEqual(FREE);
  });

  it('releases it also if holders get no time to finish', async () => {
    pool.nodes.forEach((node) => (node.faults = { acquire: { slow: 20 } }));
    const taking = redlock.acquire('a').catch((error: unknown) => error);
    await pool.clock.advance(5);
    const closed = redlock.close().then(() => pool.owners('a'));
    expect(await pool.clock.until(closed)).toEqual(FREE);
    expect(await taking).toBeInstanceOf(RedlockClosedError);
  });
});
