import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import { MemoryPool } from '../../support/memory-pool.js';

describe('limit: so many holders at once', () => {
  const LIMIT = { limit: 3 };
  let pool: MemoryPool;
  beforeEach(() => {
    pool = new MemoryPool(5);
  });

  const done = <T>(call: Promise<T>): Promise<T> => pool.clock.until(call);
  const acquire = (client: ReturnType<MemoryPool['client']>, options: LockOptions = LIMIT): Promise<Lock> =>
    done(client.redlock.acquire('export', options));

  it('has null for tryAcquire, and a ResourceLockedError for a call that does not wait, when all slots are held', async () => {
    const [one, two] = [pool.client(), pool.client()];
    const locks = [await acquire(one), await acquire(one), await acquire(one)];
    for (const { redlock } of [one, two]) {
      expect(await done(redlock.tryAcquire('export', LIMIT))).toBeNull();
      await expect(done(redlock.acquire('export', { ...LIMIT, waitTimeout: 0 }))).rejects.toMatchObject({
        code: 'RESOURCE_LOCKED',
        resources: ['export'],
      });
    }
    await done(locks[1]!.release());
    const again = await done(two.redlock.tryAcquire('export', LIMIT));
    expect(again?.slot).toBe(locks[1]!.slot);
  });

  it('gives a released slot to the caller that came first, whichever slot it is', async () => {
    const clients = [pool.client(), pool.client(), pool.client()];
    const held = [await acquire(clients[0]!), await acquire(clients[0]!), await acquire(clients[0]!)];
    const order: number[] = [];
    const waits = Array.from({ length: 12 }, async (_, index) => {
      await pool.clock.sleep(100 * index);
      const lock = await clients[index % 3]!.redlock.acquire('export', { ...LIMIT, ttl: 30_000, waitTimeout: 60_000 });
      order.push(index);
      pool.clock.schedule(100, () => void lock.release());
    });
    await pool.clock.advance(2_000);
    for (const lock of held) await done(lock.release());
    await done(Promise.all(waits));
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it('is one holder with limit 1, beside the lock of the plain name', async () => {
    const { redlock } = pool.client();
    const lock = await done(redlock.acquire('export', { limit: 1 }));
    expect(lock.slot).toBe(0);
    expect(await done(redlock.tryAcquire('export', { limit: 1 }))).toBeNull();
    expect(await done(redlock.tryAcquire('export'))).not.toBeNull();
  });

  it('finds every free slot, also for callers that do not wait and come at once', async () => {
    for (const holders of [0, 3, 7]) {
      pool = new MemoryPool(5);
      const [one, two] = [pool.client(), pool.client()];
      for (let count = 0; count < holders; count += 1) await acquire(one, { limit: 8 });
      const clients = Array.from({ length: 8 - holders }, (_, index) => (index % 2 === 0 ? one : two));
      const locks = await done(Promise.all(clients.map(({ redlock }) => redlock.tryAcquire('export', { limit: 8 }))));
      expect(new Set(locks.map((lock) => lock?.slot)).size).toBe(8 - holders);
      expect(locks).not.toContain(null);
      expect(await done(two.redlock.tryAcquire('export', { limit: 8 }))).toBeNull();
    }
  });

  it('is no contention if another slot is free', async () => {
    const [one, two] = [pool.client(), pool.client()];
    for (let count = 0; count < 7; count += 1) await acquire(one, { limit: 8 });
    await acquire(two, { limit: 8 });
    expect(two.events.map(({ type }) => type)).toEqual(['acquired']);
    expect(two.events[0]).toMatchObject({ path: 'free' });
    await expect(done(two.redlock.acquire('export', { limit: 8, waitTimeout: 0 }))).rejects.toThrow();
    expect(two.events.slice(1).map(({ type }) => type)).toEqual(['contended', 'refused']);
  });

  it('tells how long it takes until the first slot is free', async () => {
    const [one, two] = [pool.client(), pool.client()];
    for (const ttl of [20_000, 3_000, 20_000]) await acquire(one, { ...LIMIT, ttl });
    for (let count = 0; count < 10; count += 1) {
      const refused = two.redlock.acquire('export', { ...LIMIT, waitTimeout: 0 }).catch((error: unknown) => error);
      expect((await done(refused)) as { retryAfter: number }).toMatchObject({ retryAfter: expect.closeTo(2_900, -3) });
    }
  });

  it('runs a re-entrant call in the slot that the code around it has', async () => {
    const { redlock, events } = pool.client();
    const inner = (options: LockOptions): Promise<Lock> =>
      done(
        redlock.withLock(
          'export',
          (outer) =>
            redlock.withLock('export', (lock) => (expect(lock === outer).toBe(options.limit === 3), lock), {
              ...options,
              reentrant: true,
            }),
          LIMIT,
        ),
      );
    await inner(LIMIT);
    // Another limit, and none, are locks of other names.
    await inner({});
    await inner({ limit: 2 });
    await expect(inner({ ...LIMIT, take: 'all' })).rejects.toThrow(
      /The outer lock has one slot, and the inner one wants all/,
    );
    expect(events.filter(({ type }) => type === 'self-contended')).toEqual([]);
  });

  it('warns of a call that waits for its own slot only if it does', async () => {
    const { redlock, events } = pool.client();
    const nested = (options: LockOptions): Promise<unknown> =>
      done(
        redlock.withLock('export', () => redlock.withLock('export', () => 1, { waitTimeout: 100, ...options }), LIMIT),
      );
    expect(await nested(LIMIT)).toBe(1);
    expect(await nested({})).toBe(1);
    expect(events.filter(({ type }) => type === 'self-contended')).toEqual([]);
    await expect(nested({ ...LIMIT, take: 'all' })).rejects.toMatchObject({ code: 'RESOURCE_LOCKED' });
    expect(events.filter(({ type }) => type === 'self-contended')).toHaveLength(1);
  });

  it('waits for quorumTimeout while too few nodes vote, as every call does', async () => {
    const { redlock } = pool.client();
    const options = { ...LIMIT, waitTimeout: 8_000, quorumTimeout: 1_000 };
    for (const node of pool.nodes.slice(0, 3)) node.fail('down');
    expect(await pool.endOf(redlock.acquire('export', options))).toEqual(['QUORUM_NOT_REACHED', 1_000]);
    const waiting = redlock.acquire('export', options);
    await pool.clock.advance(500);
    for (const node of pool.nodes) node.fail();
    expect((await done(waiting)).slot).toBeDefined();
  });

  it('goes on to choose among all slots after a listener has aborted a call', async () => {
    const abort = new AbortController();
    const { redlock } = pool.client({ listener: ({ type }) => type === 'contended' && abort.abort() });
    const held = await done(redlock.acquire('export', LIMIT));
    for (const node of pool.nodes.slice(0, 3)) node.fail('down');
    const aborted = redlock.acquire('export', { ...LIMIT, signal: abort.signal });
    await expect(done(aborted)).rejects.toMatchObject({ name: 'AbortError' });
    for (const node of pool.nodes) node.fail();
    await done(held.release());
    const slots = new Set<number | undefined>();
    for (let count = 0; count < 20; count += 1) {
      const lock = await done(redlock.acquire('export', LIMIT));
      slots.add(lock.slot);
      await done(lock.release());
    }
    expect(slots.size).toBe(3);
  });

  it.each<[LockOptions, string, RegExp]>([
    [{ limit: 65 }, 'RangeError', /limit must be a whole number from 1 to 64; got 65/],
    [{ limit: 0 }, 'RangeError', /limit must be a whole number from 1 to 64; got 0/],
    [{ limit: 1.5 }, 'RangeError', /limit must be a whole number from 1 to 64; got 1.5/],
    [{ limit: 8, take: 2 as 1 }, 'RangeError', /take must be 1 or 'all'; got 2/],
    [{ take: 'all' }, 'TypeError', /take needs limit/],
  ])('refuses %j', async (options, name, message) => {
    const { redlock } = pool.client();
    const error = (await redlock.acquire('export', options).catch((thrown: unknown) => thrown)) as Error;
    expect([error.name, error.message]).toEqual([name, expect.stringMatching(message)]);
  });

  it('refuses a limit for several resources, and as a default', async () => {
    const { redlock } = pool.client();
    await expect(redlock.acquire(['a', 'b'], LIMIT)).rejects.toThrow(/limit is for a lock on one resource; got 2/);
    expect(() => pool.client({ defaults: LIMIT })).toThrow(/defaults: limit belongs to the calls for one resource/);
  });
});
