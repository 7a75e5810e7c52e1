import { beforeEach, describe, expect, it } from '@jest/globals';
import { ResourceLockedError } from '../../../../../lib/core/api/errors.js';
import { TOKENS_PER_VOTE } from '../../../../../lib/core/port/fencing.js';
import type { Lock } from '../../../../../lib/core/api/lock.js';
import type { LockOptions } from '../../../../../lib/core/api/options.js';
import type { Redlock } from '../../../../../lib/core/redlock.js';
import { MemoryPool } from '../../../../support/memory-pool.js';

const FREE = [undefined, undefined, undefined];
const NOBODY = [[], [], []];

describe('WaitingLines', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  const now = () => pool.clock.now().monotonic;
  const acquire = (options?: LockOptions) => pool.clock.until(redlock.acquire('a', options));
  const waiting = () => pool.memory.map((node) => node.waiting('a'));
  const asked = () => pool.nodes[0]!.callsOf('acquire').length;
  const errorOf = (promise: Promise<unknown>) => pool.clock.until(promise.catch((error: unknown) => error));
  /** Callers who wait, each for so long. */
  const lineUp = (count: number, options: LockOptions = { waitTimeout: Infinity }) =>
    Array.from({ length: count }, () => redlock.acquire('a', options));

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock } = pool.client());
  });

  it('serve the callers of a process in the order in which they came', async () => {
    const order: number[] = [];
    const all = Array.from({ length: 20 }, (_, index) =>
      redlock.withLock('a', async () => {
        order.push(index);
        await pool.clock.sleep(10);
      }),
    );
    await pool.clock.until(Promise.all(all));
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(now()).toBe(200);
  });

  it('have one caller in line for a thousand callers behind the holder of another process', async () => {
    const holder = await pool.clock.until(pool.client().redlock.acquire('a', { ttl: 60_000 }));
    const before = asked();
    const all = Promise.allSettled(lineUp(1_000));
    await pool.clock.advance(1_000);
    expect(waiting().map((values) => values.length)).toEqual([1, 1, 1]);
    expect(asked() - before).toBeLessThanOrEqual(1 + 1_000 / 100);
    await pool.clock.until(holder.release());
    await pool.clock.until(redlock.drain(0));
    await pool.clock.until(all);
  });

  it('ask nothing of the nodes for those who wait behind a lock of their own process', async () => {
    const first = await acquire();
    const all = lineUp(1_000);
    await pool.clock.advance(4_000);
    expect([asked(), waiting()]).toEqual([1, NOBODY]);
    let turns = 0;
    const done = Promise.all(all.map((waiter) => waiter.then((lock) => ((turns += 1), lock.release()))));
    await pool.clock.until(first.release());
    await pool.clock.until(done);
    const votes = 1 + Math.ceil(1_000 / TOKENS_PER_VOTE);
    expect([turns, asked(), now()]).toEqual([1_000, votes, 4_000]);
    expect(pool.nodes[0]!.callsOf('release')).toHaveLength(votes);
  });

  it('let the next waiter ask before a release returns: in the same batch, behind it', async () => {
    const first = await acquire();
    await pool.clock.advance(6);
    const [second] = lineUp(1);
    for (const node of pool.nodes) node.calls.length = 0;
    const released = first.release();
    for (const node of pool.nodes) expect(node.calls.map(({ verb }) => verb)).toEqual(['release', 'acquire']);
    await pool.clock.until(released);
    expect((await pool.clock.until(second!)).isValid).toBe(true);
    expect(now()).toBe(6);
  });

  it('let the next waiter ask as soon as a lock is lost', async () => {
    await acquire({ ttl: 500 });
    const [second] = lineUp(1);
    expect((await pool.clock.until(second!)).isValid).toBe(true);
    expect(now()).toBeLessThanOrEqual(800);
    expect(pool.nodes[0]!.callsOf('acquire')[1]!.at).toBeLessThanOrEqual(500);
  });

  it('do not come before those of other processes who came first', async () => {
    const others = pool.client().redlock;
    const first = await acquire();
    const theirs = others.acquire('a', { waitTimeout: Infinity, retryDelay: 60_000, retryJitter: 0 });
    await pool.clock.advance(10);
    const [ours] = lineUp(1);
    await pool.clock.advance(10);
    await pool.clock.until(first.release());
    const second = await pool.clock.until(theirs);
    expect([pool.owners('a'), now()]).toEqual([Array(3).fill(second.value), 20]);
    await pool.clock.until(second.release());
    await pool.clock.until(ours!);
    expect(now()).toBe(20);
  });

  it('pass the lock on within the process where those of other processes came later', async () => {
    const first = await acquire();
    const [ours] = lineUp(1);
    await pool.clock.advance(10);
    const theirs = pool.client().redlock.acquire('a', { waitTimeout: Infinity, retryDelay: 60_000, retryJitter: 0 });
    await pool.clock.advance(10);
    await pool.clock.until(first.release());
    const second = await pool.clock.until(ours!);
    expect([pool.owners('a'), now()]).toEqual([Array(3).fill(second.value), 20]);
    await pool.clock.until(second.release());
    await pool.clock.until(theirs);
    expect(now()).toBe(20);
  });

  it('are one for each resource', async () => {
    await acquire();
    const others = ['b', 'c'].map((name) => redlock.acquire(name));
    expect((await pool.clock.until(Promise.all(others))).map(({ isValid }) => isValid)).toEqual([true, true]);
    expect(now()).toBe(0);
  });

  it('are not stood in by those who do not wait, or who want several resources', async () => {
    await acquire();
    void lineUp(1);
    await expect(pool.clock.until(redlock.tryAcquire('a'))).resolves.toBeNull();
    await expect(errorOf(redlock.acquire('a', { retryCount: 0 }))).resolves.toBeInstanceOf(ResourceLockedError);
    const both = redlock.acquire(['a', 'b'], { waitTimeout: 500 });
    await expect(errorOf(both)).resolves.toBeInstanceOf(ResourceLockedError);
    expect(waiting()).toEqual(NOBODY);
  });

  it.each([
    ['tryAcquire', () => redlock.tryAcquire('a')],
    ['an acquire without retries', () => redlock.acquire('a', { retryCount: 0 })],
  ])('wait for a lock that %s got, too', async (_case, take) => {
    const first = await pool.clock.until<Lock | null>(take());
    const [second] = lineUp(1);
    await pool.clock.advance(1_000);
    expect(asked()).toBe(1);
    await pool.clock.until(first!.release());
    await pool.clock.until(second!);
    expect(now()).toBe(1_000);
  });

  it('outlive a lock that somebody got without standing in them, while their first one contends', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign', 60_000));
    const [first] = lineUp(1);
    await pool.clock.advance(10);
    for (const node of pool.memory) node.flush();
    const taken = await pool.clock.until(redlock.tryAcquire('a'));
    const [second] = lineUp(1);
    await pool.clock.until(taken!.release());
    const [third] = lineUp(1);
    for (const waiter of [first, second, third]) {
      const lock = await pool.clock.until(waiter!);
      expect(now()).toBeLessThan(500);
      await pool.clock.until(lock.release());
    }
    expect([pool.owners('a'), waiting()]).toEqual([FREE, NOBODY]);
  });

  it('leave nothing behind when everybody has had his turn', async () => {
    await pool.clock.until(Promise.all(lineUp(5).map((waiter) => waiter.then((lock) => lock.release()))));
    expect([pool.owners('a'), waiting(), pool.clock.timers]).toEqual([FREE, NOBODY, 0]);
    const last = await acquire();
    expect(last.isValid).toBe(true);
  });
});
