import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Claim } from '../../../../lib/core/port/claim.js';
import type { LockEvent } from '../../../../lib/core/api/events.js';
import type { Lock } from '../../../../lib/core/api/lock.js';
import type { Redlock } from '../../../../lib/core/redlock.js';
import { MemoryPool } from '../../../support/memory-pool.js';

const FREE = [undefined, undefined, undefined];
/** Asks once, and is then told by hand-off only. */
const IN_LINE = { retryDelay: 60_000, retryJitter: 0, waitTimeout: 100_000, ttl: 1_000 };

describe('several resources of which one is held', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  let events: LockEvent[];
  let holder: Redlock;
  const now = () => pool.clock.now().monotonic;
  const take = (who: Redlock, resource: string | string[], options = {}): Promise<Lock> =>
    pool.clock.until(who.acquire(resource, { ...IN_LINE, ...options }));
  const waiting = (resource: string) => pool.memory.map((node) => node.waiting(resource).length);

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock, events } = pool.client());
    holder = pool.client().redlock;
  });

  it('are acquired at the very moment of its release, under one value and with one token', async () => {
    const held = await take(holder, 'b', { ttl: 60_000 });
    const both = redlock.acquire(['b', 'a'], IN_LINE);
    await pool.clock.advance(100);
    expect([waiting('b'), pool.owners('a').every(Boolean)]).toEqual([[1, 1, 1], true]);
    await pool.clock.until(held.release());
    const lock = await pool.clock.until(both);
    expect([now(), lock.resources, lock.validity]).toEqual([100, ['b', 'a'], 988]);
    expect([pool.owners('a'), pool.owners('b')]).toEqual([Array(3).fill(lock.value), Array(3).fill(lock.value)]);
    expect(lock.fencingToken).toBeGreaterThan(held.fencingToken);
    await pool.clock.until(lock.release());
    const types = events.map(({ type }) => type);
    expect([pool.owners('a'), pool.owners('b'), types]).toEqual([FREE, FREE, ['contended', 'acquired', 'released']]);
    expect(pool.clock.timers).toBe(0);
  });

  it('keep what they have while the rest is waited for, for longer than a lease', async () => {
    const held = await take(holder, 'b', { ttl: 60_000 });
    const both = redlock.acquire(['a', 'b'], IN_LINE);
    await pool.clock.advance(5_000);
    const other = pool.client().redlock.acquire('a', { ...IN_LINE, waitTimeout: 500 });
    await expect(pool.clock.until(other)).rejects.toMatchObject({ code: 'RESOURCE_LOCKED' });
    await pool.clock.until(held.release());
    expect((await pool.clock.until(both)).isValid).toBe(true);
  });

  it('are all given back when the time is up, with an error that names all of them', async () => {
    await take(holder, 'b', { ttl: 60_000 });
    const both = redlock.acquire(['a', 'b', 'c'], { ...IN_LINE, waitTimeout: 700 });
    await expect(pool.clock.until(both)).rejects.toMatchObject({
      code: 'RESOURCE_LOCKED',
      resources: ['a', 'b', 'c'],
    });
    await pool.clock.advance(100);
    expect([now(), pool.owners('a'), pool.owners('c'), waiting('b')]).toEqual([800, FREE, FREE, [0, 0, 0]]);
  });

  it('are given back where the caller aborts', async () => {
    await take(holder, 'b', { ttl: 60_000 });
    const abort = new AbortController();
    const both = redlock.acquire(['a', 'b'], { ...IN_LINE, signal: abort.signal });
    pool.clock.schedule(300, () => abort.abort(new Error('enough')));
    await expect(pool.clock.until(both)).rejects.toThrow('enough');
    await pool.clock.advance(100);
    // The timer of the one that holds the other.
    expect([pool.owners('a'), waiting('b'), pool.clock.timers]).toEqual([FREE, [0, 0, 0], 1]);
  });

  it('are asked for from the beginning where one of them was lost meanwhile', async () => {
    const held = await take(holder, 'b', { ttl: 60_000 });
    const both = redlock.acquire(['a', 'b'], IN_LINE);
    await pool.clock.advance(100);
    pool.memory.forEach((node) => node.set('a', 'somebody', 2_000));
    await pool.clock.advance(500);
    await pool.clock.until(held.release());
    await pool.clock.advance(100);
    expect(pool.owners('b')).not.toContain(held.value);
    const lock = await pool.clock.until(both);
    expect([pool.owners('a'), pool.owners('b')]).toEqual([Array(3).fill(lock.value), Array(3).fill(lock.value)]);
    expect(now()).toBeGreaterThanOrEqual(2_100);
  });

  it('are served in the order of arrival together with claims of one of them', async () => {
    const order: string[] = [];
    const held = await take(holder, 'a', { ttl: 60_000 });
    const line = (name: string, resource: string | string[]): Promise<void> =>
      pool
        .client()
        .redlock.acquire(resource, IN_LINE)
        .then(async (lock) => {
          order.push(name);
          await lock.release();
        });
    const ends = [];
    for (const [name, resource] of [
      ['first', 'a'],
      ['second', ['b', 'a']],
      ['third', 'a'],
      ['fourth', ['a', 'b']],
      ['fifth', 'b'],
    ] as const) {
      ends.push(line(name, resource as string | string[]));
      await pool.clock.advance(10);
    }
    await pool.clock.until(held.release());
    await pool.clock.until(Promise.all(ends));
    // `b` was free when the fifth came, and no waiter for `a` keeps `b` before its turn for `a`.
    expect(order.filter((name) => name !== 'fifth')).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it.each([
    ['of this try', 1],
    ['of the try before', 2],
  ])(
    'are asked for from the beginning, in a new name, where a vote %s may still be given away',
    async (_case, tries) => {
      const held = await take(holder, 'b', { ttl: 60_000 });
      const both = redlock.acquire(['a', 'b'], IN_LINE);
      await pool.clock.advance(100);
      const parts = pool.memory[0]!.get('a');
      for (const node of pool.nodes.slice(0, 2)) {
        const tried: Claim[] = [];
        const ask = node.acquire.bind(node);
        jest.spyOn(node, 'acquire').mockImplementation((question, nodeIndex) => {
          const { claim } = question;
          if (claim.resources.length === 1 || claim.value !== parts) return ask(question, nodeIndex);
          // A try before the last one is not answered in time.
          if (tried.push(claim) < tries) return;
          tried[0]!.doubt(nodeIndex);
          ask(question, nodeIndex);
        });
      }
      await pool.clock.until(held.release());
      const lock = await pool.clock.until(both);
      expect(lock.value).not.toBe(parts);
      expect([pool.owners('a'), pool.owners('b')]).toEqual([Array(3).fill(lock.value), Array(3).fill(lock.value)]);
    },
  );

  it('are given back by the claim for all of them, too, which a node may have that was asked for no part', async () => {
    const held = await take(holder, 'b', { ttl: 60_000 });
    const abort = new AbortController();
    const both = redlock.acquire(['a', 'b'], { ...IN_LINE, signal: abort.signal });
    await pool.clock.advance(100);
    for (const node of pool.nodes.slice(0, 2)) node.faults = { acquire: { slow: 400 } };
    const node = pool.nodes[2]!;
    const [questions, releases] = [jest.spyOn(node, 'acquire'), jest.spyOn(node, 'release')];
    await pool.clock.until(held.release());
    pool.clock.schedule(20, () => abort.abort(new Error('enough')));
    await expect(pool.clock.until(both)).rejects.toThrow('enough');
    const claimsOf = (calls: readonly (readonly [{ readonly claim: Claim }, ...unknown[]])[]) =>
      calls.map(([{ claim }]) => claim).filter(({ resources }) => resources.length === 2);
    // What was asked for once under the same value is never taken for a claim of which the node has nothing.
    expect(questions.mock.calls.map(([{ isFirst }]) => isFirst)).toEqual([false]);
    expect(claimsOf(releases.mock.calls)).toEqual(claimsOf(questions.mock.calls));
    await pool.clock.advance(1_000);
    expect([pool.owners('a'), pool.owners('b')]).toEqual([FREE, FREE]);
  });

  it('leave the turn to the next caller of the process when one part was over before all parts were merged', async () => {
    const slow = pool.client({ nodeTimeout: 300 }).redlock;
    const held = await take(holder, 'c', { ttl: 60_000 });
    const all = slow.acquire(['a', 'b', 'c'], { ...IN_LINE, ttl: 400 });
    await pool.clock.advance(100);
    const [next, last] = [slow.acquire('b', IN_LINE), slow.acquire('b', IN_LINE)];
    for (const node of pool.nodes) node.faults = { extend: 'silent', acquire: { slow: 290 } };
    await pool.clock.advance(110);
    const asked = () => pool.nodes[0]!.callsOf('acquire').length;
    await pool.clock.until(held.release());
    await pool.clock.advance(240);
    for (const node of pool.nodes) node.faults = {};
    const lock = await pool.clock.until(all);
    const before = asked();
    await pool.clock.until(lock.release());
    expect(asked()).toBe(before);
    await pool.clock.until((await pool.clock.until(next)).release());
    expect((await pool.clock.until(last)).isValid).toBe(true);
  });

  it('hold up callers of the same process that want one of them', async () => {
    const held = await take(holder, 'b', { ttl: 60_000 });
    const both = redlock.acquire(['a', 'b'], IN_LINE);
    await pool.clock.advance(100);
    const single = redlock.acquire('a', IN_LINE);
    await pool.clock.until(held.release());
    const lock = await pool.clock.until(both);
    const before = pool.nodes[0]!.callsOf('acquire').length;
    await pool.clock.advance(200);
    expect(pool.nodes[0]!.callsOf('acquire').length).toBe(before);
    await pool.clock.until(lock.release());
    expect((await pool.clock.until(single)).fencingToken).toBeGreaterThan(lock.fencingToken);
  });
});
