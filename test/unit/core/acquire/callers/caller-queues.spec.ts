import { beforeEach, describe, expect, it } from '@jest/globals';
import { ResourceLockedError } from '../../../../../lib/core/api/errors.js';
import { TOKENS_PER_VOTE } from '../../../../../lib/core/port/fencing.js';
import type { Lock } from '../../../../../lib/core/api/lock.js';
import { WaitingCallers } from '../../../../support/waiting-callers.js';

const FREE = [undefined, undefined, undefined];
const NOBODY = [[], [], []];

describe('CallerQueues', () => {
  let callers: WaitingCallers;

  beforeEach(() => {
    callers = new WaitingCallers();
  });

  it('serve the callers of a process in the order in which they came', async () => {
    const order: number[] = [];
    const all = Array.from({ length: 20 }, (_, index) =>
      callers.redlock.withLock('a', async () => {
        order.push(index);
        await callers.clock.sleep(10);
      }),
    );
    await callers.clock.until(Promise.all(all));
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(callers.now).toBe(200);
  });

  it('have one caller in line for a thousand callers behind the holder of another process', async () => {
    const holder = await callers.clock.until(callers.pool.client().redlock.acquire('a', { ttl: 60_000 }));
    const before = callers.asked;
    const all = Promise.allSettled(callers.lineUp(1_000));
    await callers.clock.advance(1_000);
    expect(callers.waiting.map((values) => values.length)).toEqual([1, 1, 1]);
    expect(callers.asked - before).toBeLessThanOrEqual(1 + 1_000 / 100);
    await callers.clock.until(holder.release());
    await callers.clock.until(callers.redlock.drain(0));
    await callers.clock.until(all);
  });

  it('do not ask the nodes for callers that wait behind a lock of their own process', async () => {
    const first = await callers.acquire();
    const all = callers.lineUp(1_000);
    await callers.clock.advance(4_000);
    expect([callers.asked, callers.waiting]).toEqual([1, NOBODY]);
    let turns = 0;
    const done = Promise.all(all.map((waiter) => waiter.then((lock) => ((turns += 1), lock.release()))));
    await callers.clock.until(first.release());
    await callers.clock.until(done);
    const votes = 1 + Math.ceil(1_000 / TOKENS_PER_VOTE);
    expect([turns, callers.asked, callers.now]).toEqual([1_000, votes, 4_000]);
    expect(callers.pool.nodes[0]!.callsOf('release')).toHaveLength(votes);
  });

  it('let the next waiter ask before a release returns: in the same batch, behind it', async () => {
    const first = await callers.acquire();
    await callers.clock.advance(6);
    const [second] = callers.lineUp(1);
    for (const node of callers.pool.nodes) node.calls.length = 0;
    const released = first.release();
    for (const node of callers.pool.nodes) expect(node.calls.map(({ verb }) => verb)).toEqual(['release', 'acquire']);
    await callers.clock.until(released);
    expect((await callers.clock.until(second!)).isValid).toBe(true);
    expect(callers.now).toBe(6);
  });

  it('let the next waiter ask as soon as a lock is lost', async () => {
    await callers.acquire({ ttl: 500 });
    const [second] = callers.lineUp(1);
    expect((await callers.clock.until(second!)).isValid).toBe(true);
    expect(callers.now).toBeLessThanOrEqual(800);
    expect(callers.pool.nodes[0]!.callsOf('acquire')[1]!.at).toBeLessThanOrEqual(500);
  });

  it('do not come before callers of other processes that came first', async () => {
    const others = callers.pool.client().redlock;
    const first = await callers.acquire();
    const theirs = others.acquire('a', { waitTimeout: Infinity, retryDelay: 60_000, retryJitter: 0 });
    await callers.clock.advance(10);
    const [ours] = callers.lineUp(1);
    await callers.clock.advance(10);
    await callers.clock.until(first.release());
    const second = await callers.clock.until(theirs);
    expect([callers.pool.owners('a'), callers.now]).toEqual([Array(3).fill(second.value), 20]);
    await callers.clock.until(second.release());
    await callers.clock.until(ours!);
    expect(callers.now).toBe(20);
  });

  it('pass the lock on within the process if callers of other processes came later', async () => {
    const first = await callers.acquire();
    const [ours] = callers.lineUp(1);
    await callers.clock.advance(10);
    const theirs = callers.pool
      .client()
      .redlock.acquire('a', { waitTimeout: Infinity, retryDelay: 60_000, retryJitter: 0 });
    await callers.clock.advance(10);
    await callers.clock.until(first.release());
    const second = await callers.clock.until(ours!);
    expect([callers.pool.owners('a'), callers.now]).toEqual([Array(3).fill(second.value), 20]);
    await callers.clock.until(second.release());
    await callers.clock.until(theirs);
    expect(callers.now).toBe(20);
  });

  it('are one for each resource', async () => {
    await callers.acquire();
    const others = ['b', 'c'].map((name) => callers.redlock.acquire(name));
    expect((await callers.clock.until(Promise.all(others))).map(({ isValid }) => isValid)).toEqual([true, true]);
    expect(callers.now).toBe(0);
  });

  it('do not take in callers that do not wait or that want several resources', async () => {
    await callers.acquire();
    void callers.lineUp(1);
    await expect(callers.clock.until(callers.redlock.tryAcquire('a'))).resolves.toBeNull();
    await expect(callers.errorOf(callers.redlock.acquire('a', { retryCount: 0 }))).resolves.toBeInstanceOf(
      ResourceLockedError,
    );
    const both = callers.redlock.acquire(['a', 'b'], { waitTimeout: 500 });
    await expect(callers.errorOf(both)).resolves.toBeInstanceOf(ResourceLockedError);
    expect(callers.waiting).toEqual(NOBODY);
  });

  it.each([
    ['tryAcquire', () => callers.redlock.tryAcquire('a')],
    ['an acquire without retries', () => callers.redlock.acquire('a', { retryCount: 0 })],
  ])('wait for a lock that %s got, too', async (_case, take) => {
    const first = await callers.clock.until<Lock | null>(take());
    const [second] = callers.lineUp(1);
    await callers.clock.advance(1_000);
    expect(callers.asked).toBe(1);
    await callers.clock.until(first!.release());
    await callers.clock.until(second!);
    expect(callers.now).toBe(1_000);
  });

  it('outlive a lock that a caller got without standing in them while their first caller contends', async () => {
    callers.pool.memory.forEach((node) => node.set('a', 'foreign', 60_000));
    const [first] = callers.lineUp(1);
    await callers.clock.advance(10);
    for (const node of callers.pool.memory) node.flush();
    const taken = await callers.clock.until(callers.redlock.tryAcquire('a'));
    const [second] = callers.lineUp(1);
    await callers.clock.until(taken!.release());
    const [third] = callers.lineUp(1);
    for (const waiter of [first, second, third]) {
      const lock = await callers.clock.until(waiter!);
      expect(callers.now).toBeLessThan(500);
      await callers.clock.until(lock.release());
    }
    expect([callers.pool.owners('a'), callers.waiting]).toEqual([FREE, NOBODY]);
  });

  it('leave nothing behind when each caller has had its turn', async () => {
    await callers.clock.until(Promise.all(callers.lineUp(5).map((waiter) => waiter.then((lock) => lock.release()))));
    expect([callers.pool.owners('a'), callers.waiting, callers.clock.timers]).toEqual([FREE, NOBODY, 0]);
    const last = await callers.acquire();
    expect(last.isValid).toBe(true);
  });
});
