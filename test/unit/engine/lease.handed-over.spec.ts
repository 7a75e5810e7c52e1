import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { Lock } from '../../../lib/engine/lock.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import { MemoryPool } from '../../support/memory-pool.js';

describe('a lock that was handed over', () => {
  let pool: MemoryPool;
  let lock: Lock;
  let events: LockEvent[];
  const now = () => pool.clock.now().monotonic;
  const extensions = () => pool.nodes[0]!.callsOf('extend').map(({ at, ttl }) => [at, ttl]);
  const types = () => events.map(({ type }) => type).filter((type) => type !== 'contended');

  /** Another process hands it over at 100. */
  const takeOver = async (options: LockOptions = {}, spoil: () => void = () => undefined): Promise<void> => {
    const held = await pool.clock.until(pool.client().redlock.acquire('a', { ttl: 60_000 }));
    const client = pool.client();
    events = client.events;
    const waiting = client.redlock.acquire('a', { retryDelay: 60_000, retryJitter: 0, ...options });
    await pool.clock.advance(100);
    spoil();
    void held.release();
    lock = await pool.clock.until(waiting);
  };

  beforeEach(() => {
    pool = new MemoryPool();
  });

  it('is held at the very moment of the release, without another question', async () => {
    await takeOver();
    expect([now(), pool.nodes[0]!.callsOf('acquire').length]).toEqual([100, 2]);
    expect(pool.owners('a')).toEqual(Array(3).fill(lock.value));
    expect(events).toContainEqual(expect.objectContaining({ type: 'acquired', resources: ['a'], waited: 100 }));
  });

  it('has at least nine tenths of its ttl from the beginning, on the nodes too, without an extension', async () => {
    await takeOver({ ttl: 8_000 });
    expect(lock.validity).toBeGreaterThan(0.9 * 8_000 - 82);
    // Whatever keeps its process from saying anything to the nodes.
    pool.nodes.forEach((node) => (node.faults = { extend: 'silent' }));
    pool.clock.block(7_000);
    expect([lock.isValid, pool.owners('a')]).toEqual([true, Array(3).fill(lock.value)]);
    expect([extensions(), types()]).toEqual([[], ['acquired']]);
  });

  it('is lost when its ttl is over and it was not extended', async () => {
    await takeOver({ ttl: 8_000 });
    await pool.clock.advance(10_000);
    expect([lock.isValid, types()]).toEqual([false, ['acquired', 'lost']]);
  });

  it('is lost before its ttl is over where it cannot be extended', async () => {
    await takeOver({ ttl: 1_000, autoExtend: true }, () =>
      pool.nodes.forEach((node) => (node.faults = { extend: 'silent' })),
    );
    const { signal } = lock;
    let lostAt = 0;
    signal.addEventListener('abort', () => (lostAt = now()));
    await pool.clock.advance(5_000);
    expect(lostAt).toBeGreaterThan(1_000);
    expect(lostAt).toBeLessThanOrEqual(100 + 988);
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('is extended as often as others where that is wanted', async () => {
    await takeOver({ ttl: 1_000, autoExtend: true });
    await pool.clock.advance(10_000);
    expect(lock.isValid).toBe(true);
    const gaps = extensions().map(([at], index, all) => at! - (all[index - 1]?.[0] ?? 100));
    expect(Math.min(...gaps)).toBeGreaterThan(298);
    expect(Math.max(...gaps)).toBeLessThan(370);
  });

  it('is given back wholly by a release that comes before an extension is answered', async () => {
    await takeOver({}, () => pool.nodes.forEach((node) => (node.faults = { extend: { slow: 30 } })));
    void lock.extend().catch(() => undefined);
    await pool.clock.until(lock.release());
    await pool.clock.advance(1_000);
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined]);
    expect([types(), pool.clock.timers]).toEqual([['acquired', 'released'], 0]);
  });

  it('takes the grants that come after the win as further votes', async () => {
    await takeOver({}, () => (pool.nodes[2]!.faults = { grant: { slow: 30 } }));
    await pool.clock.advance(0);
    pool.nodes[0]!.fail('down');
    await pool.clock.until(lock.extend());
    expect(lock.isValid).toBe(true);
  });

  it('does not begin with a lease that the nodes have lost by its turn', async () => {
    const { redlock } = pool.client();
    const [first, next] = [{ ttl: 1_000 }, { ttl: 1_000 }].map((options) => redlock.acquire('a', options));
    await (await pool.clock.until(first!)).release();
    pool.clock.block(600);
    pool.memory.forEach((node) => node.delete('a'));
    lock = await pool.clock.until(next!);
    expect(pool.owners('a')).toEqual(Array(3).fill(lock.value));
  });
});
