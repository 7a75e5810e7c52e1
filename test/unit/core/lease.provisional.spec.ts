import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/core/events.js';
import type { Lock } from '../../../lib/core/lock.js';
import type { LockOptions } from '../../../lib/core/options.js';
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

  it('is extended at once to its whole ttl, also where it is not to be extended by itself', async () => {
    await takeOver({ ttl: 8_000 });
    await pool.clock.advance(0);
    expect(extensions()).toEqual([[100, 8_000]]);
    expect(lock.validity).toBe(8_000 - 82);
    await pool.clock.advance(5_000);
    expect(extensions()).toHaveLength(1);
    expect([lock.isValid, types()]).toEqual([true, ['acquired', 'extended']]);
  });

  it('is valid for no longer than its grace until it is extended', async () => {
    await takeOver({}, () => pool.nodes.forEach((node) => (node.faults = { extend: { slow: 40 } })));
    expect(lock.validity).toBe(493);
    await pool.clock.advance(40);
    expect(lock.validity).toBe(10_000 - 102 - 40);
  });

  it('is extended again within its grace where that failed, and then no more', async () => {
    await takeOver({}, () => pool.nodes.forEach((node) => (node.faults = { extend: 'down' })));
    pool.clock.schedule(200, () => pool.nodes.forEach((node) => node.fail()));
    await pool.clock.advance(5_000);
    expect(extensions().length).toBeGreaterThan(1);
    expect(extensions().at(-1)![0]).toBeLessThan(100 + 493);
    expect(lock.isValid).toBe(true);
    await pool.clock.advance(10_000);
    expect([lock.isValid, types()]).toEqual([false, ['acquired', 'extended', 'lost']]);
  });

  it('is lost before its grace is over where it cannot be extended', async () => {
    await takeOver({}, () => pool.nodes.forEach((node) => (node.faults = { extend: 'silent' })));
    const { signal } = lock;
    let lostAt = 0;
    signal.addEventListener('abort', () => (lostAt = now()));
    await pool.clock.advance(5_000);
    expect(lostAt).toBeGreaterThan(400);
    expect(lostAt).toBeLessThanOrEqual(100 + 493);
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('is extended as often as others where that is wanted', async () => {
    await takeOver({ ttl: 1_000, autoExtend: true });
    await pool.clock.advance(10_000);
    expect(lock.isValid).toBe(true);
    const gaps = extensions().map(([at], index, all) => at! - (all[index - 1]?.[0] ?? 100));
    expect(gaps[0]).toBe(0);
    expect(Math.min(...gaps.slice(1))).toBeGreaterThan(298);
  });

  it('is given back wholly by a release that comes before its extension is answered', async () => {
    await takeOver({}, () => pool.nodes.forEach((node) => (node.faults = { extend: { slow: 30 } })));
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
});
