import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { Lock } from '../../../lib/engine/lock.js';
import { MemoryPool } from '../../support/memory-pool.js';
import type { Redlock } from '../../../lib/engine/redlock.js';

describe('Lock.release', () => {
  let pool: MemoryPool;
  let lock: Lock;
  let events: LockEvent[];

  beforeEach(async () => {
    pool = new MemoryPool(5);
    const client = pool.client();
    events = client.events;
    lock = await pool.clock.until(client.redlock.acquire('a', { ttl: 1_000 }));
  });

  it('frees the resource on every node', async () => {
    await pool.clock.advance(250);
    await pool.clock.until(lock.release());
    expect(pool.owners('a')).toEqual(Array(5).fill(undefined));
    expect(events.at(-1)).toMatchObject({ type: 'released', resources: ['a'], held: 250 });
  });

  it('is asked of the nodes once, however often it is called', async () => {
    await pool.clock.until(Promise.all([lock.release(), lock.release()]));
    await pool.clock.until(lock.release());
    expect(pool.nodes.map((node) => node.callsOf('release').length)).toEqual(Array(5).fill(1));
    expect(events.filter(({ type }) => type === 'released')).toHaveLength(1);
  });

  it('leaves alone what is not its own', async () => {
    pool.memory[0]!.set('a', 'another');
    await pool.clock.until(lock.release());
    expect(pool.owners('a')).toEqual(['another', undefined, undefined, undefined, undefined]);
  });

  it('does not wait for a silent minority', async () => {
    pool.nodes[1]!.fail('silent');
    pool.nodes[2]!.fail('silent');
    await pool.clock.until(lock.release());
    expect(pool.clock.now().monotonic).toBe(0);
  });

  it.each(['silent', 'lost reply', 'down', 'broken'] as const)(
    'neither fails nor takes long where every node is %s',
    async (fault) => {
      pool.nodes.forEach((node) => node.fail(fault));
      await expect(pool.clock.until(lock.release())).resolves.toBeUndefined();
      expect(pool.clock.now().monotonic).toBeLessThanOrEqual(50);
    },
  );

  it.each([
    ['ran out', async () => pool.clock.advance(5_000)],
    ['was stolen', async () => pool.memory.forEach((node) => node.set('a', 'thief'))],
    ['was forgotten', async () => pool.memory.forEach((node) => node.flush())],
  ])('neither fails nor takes long where the lease %s', async (_case, spoil) => {
    await spoil();
    const before = pool.clock.now().monotonic;
    await expect(pool.clock.until(lock.release())).resolves.toBeUndefined();
    expect(pool.clock.now().monotonic).toBe(before);
    expect(pool.nodes[0]!.callsOf('release')).toHaveLength(1);
  });

  it('tells of a loss, not of a release, where the lease ran out before', async () => {
    pool.clock.block(5_000);
    await pool.clock.until(lock.release());
    expect(events.map(({ type }) => type)).toEqual(['acquired', 'lost']);
  });

  it('in an abort listener finds the lock lost already, and tells of no release', async () => {
    const seen: boolean[] = [];
    lock.signal.addEventListener('abort', () => {
      seen.push(lock.isValid);
      void lock.release();
    });
    pool.memory.forEach((node) => node.set('a', 'thief'));
    await expect(pool.clock.until(lock.extend())).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await pool.clock.advance(10);
    expect([seen, events.map(({ type }) => type)]).toEqual([[false], ['acquired', 'lost']]);
  });

  it('in an abort listener passes the lost lock to no caller of the process that waits', async () => {
    const { redlock } = pool.client();
    const [first, next] = [1, 2].map(() => redlock.acquire('b', { ttl: 1_000 }));
    const lost = await pool.clock.until(first!);
    lost.signal.addEventListener('abort', () => void lost.release());
    pool.memory.forEach((node) => node.set('b', 'thief', 500));
    await expect(pool.clock.until(lost.extend())).rejects.toMatchObject({ code: 'LOCK_LOST' });
    const got = await pool.clock.until(next!);
    expect(pool.owners('b')).toEqual(Array(5).fill(got.value));
    expect(got.value).not.toBe(lost.value);
  });

  it('comes behind an extension on its way, which cannot plant the key again', async () => {
    pool.nodes.forEach((node) => (node.faults = { extend: { late: 30 } }));
    const extension = lock.extend().catch((error: unknown) => error);
    await pool.clock.advance(10);
    await pool.clock.until(lock.release());
    await pool.clock.until(extension);
    await pool.clock.advance(100);
    expect(pool.owners('a')).toEqual(Array(5).fill(undefined));
  });

  it('comes behind a healing on its way, which cannot plant the key again', async () => {
    pool.memory[0]!.flush();
    pool.nodes[0]!.faults = { acquire: { late: 30 } };
    await pool.clock.until(lock.extend());
    expect(pool.nodes[0]!.callsOf('acquire')).toHaveLength(2);
    await pool.clock.until(lock.release());
    await pool.clock.advance(100);
    expect(pool.owners('a')).toEqual(Array(5).fill(undefined));
  });

  it('ends an extension on its way that finds the lock gone, without telling of a loss', async () => {
    pool.memory.forEach((node) => node.flush());
    pool.nodes.forEach((node) => (node.faults = { extend: { slow: 30 } }));
    const extension = lock.extend().catch((error: unknown) => error);
    await pool.clock.advance(10);
    await pool.clock.until(lock.release());
    await expect(pool.clock.until(extension)).resolves.toMatchObject({
      code: 'LOCK_LOST',
      message: expect.stringContaining('it was released'),
    });
    expect(events.map(({ type }) => type)).toEqual(['acquired', 'released']);
  });

  it('heals nothing after it, though the answer of an extension comes late', async () => {
    pool.memory[0]!.flush();
    pool.nodes[0]!.faults = { extend: { slow: 30 } };
    await pool.clock.until(lock.extend());
    await pool.clock.until(lock.release());
    await pool.clock.advance(100);
    expect(pool.nodes[0]!.callsOf('acquire')).toHaveLength(1);
    expect(pool.owners('a')).toEqual(Array(5).fill(undefined));
  });
});

describe('a lock that was extended for a shorter time than before, which the nodes do not shorten', () => {
  let pool: MemoryPool;
  let redlock: Redlock;

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock } = pool.client());
  });

  it('owes its release for as long as the nodes keep the longer lease', async () => {
    const lock = (await pool.clock.until(redlock.tryAcquire('a', { ttl: 20_000 })))!;
    await pool.clock.until(lock.extend(500));
    const asked = pool.nodes.map((node) => node.callsOf('release').length);
    await pool.clock.until(lock.release());
    expect(
      pool.nodes.map((node, index) =>
        node
          .callsOf('release')
          .slice(asked[index])
          .map(({ ttl }) => ttl),
      ),
    ).toEqual([[20_000], [20_000], [20_000]]);
  });
});
