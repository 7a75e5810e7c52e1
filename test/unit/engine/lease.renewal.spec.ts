import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { Lock } from '../../../lib/engine/lock.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import { MemoryPool } from '../../support/memory-pool.js';

describe('automatic extension', () => {
  let pool: MemoryPool;
  let lock: Lock;
  let events: LockEvent[];
  let abortedAt: number | undefined;

  const hold = async (options: LockOptions = {}, settings: { readonly nodeTimeout?: number } = {}): Promise<void> => {
    const client = pool.client(settings);
    events = client.events;
    lock = await pool.clock.until(client.redlock.acquire('a', { ttl: 1_000, autoExtend: true, ...options }));
    abortedAt = undefined;
    lock.signal.addEventListener('abort', () => (abortedAt = pool.clock.now().monotonic));
  };
  const times = (verb: 'extend' | 'acquire') => pool.nodes[0]!.callsOf(verb).map(({ at }) => at);
  const types = () => events.map(({ type }) => type);

  beforeEach(() => {
    pool = new MemoryPool();
  });

  it('holds the lock for as long as it lasts', async () => {
    await hold();
    await pool.clock.advance(20_000);
    expect([lock.isValid, abortedAt]).toEqual([true, undefined]);
    expect(pool.owners('a')).toEqual(Array(3).fill(lock.value));
  });

  it('comes every third of the ttl, give or take a tenth of that', async () => {
    await hold();
    await pool.clock.advance(20_000);
    const gaps = times('extend').map((at, index, all) => at - (all[index - 1] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(298);
    expect(Math.max(...gaps)).toBeLessThan(368);
  });

  it('does not keep the loss from being told in time, also while an extension by the holder has no answer yet', async () => {
    await hold({}, { nodeTimeout: 900 });
    await pool.clock.advance(200);
    pool.nodes.forEach((node) => node.fail('silent'));
    const extension = lock.extend().catch((error: unknown) => error);
    await pool.clock.advance(2_000);
    expect(abortedAt).toBeGreaterThan(980);
    expect(abortedAt).toBeLessThanOrEqual(1_000);
    await extension;
  });

  it('extends by what its holder asked for last', async () => {
    await hold();
    await pool.clock.until(lock.extend(9_000));
    await pool.clock.advance(20_000);
    const extensions = pool.nodes[0]!.callsOf('extend').map(({ ttl }) => ttl);
    expect(new Set(extensions)).toEqual(new Set([9_000]));
    expect(extensions.length).toBeLessThan(10);
    expect(lock.validity).toBeGreaterThan(1_000);
  });

  it('does not make shorter what its holder makes longer when it is due', async () => {
    await hold({}, { nodeTimeout: 900 });
    await pool.clock.advance(250);
    pool.nodes.forEach((node) => (node.faults = { extend: { slow: 200 } }));
    await pool.clock.until(lock.extend(9_000));
    await pool.clock.advance(1_000);
    expect(pool.nodes[0]!.callsOf('extend').map(({ ttl }) => ttl)).toEqual([9_000]);
  });

  it('does not end with a lease that was made shorter', async () => {
    await hold({ ttl: 60_000 });
    pool.nodes.forEach((node) => (node.faults = { extend: 'lost reply' }));
    await expect(pool.clock.until(lock.extend(1_000))).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    pool.nodes.forEach((node) => node.fail());
    await pool.clock.advance(10_000);
    expect(lock.isValid).toBe(true);
  });

  it('does not come without being asked for', async () => {
    await hold({ autoExtend: false });
    await pool.clock.advance(2_000);
    expect(times('extend')).toEqual([]);
    expect(lock.isValid).toBe(false);
  });

  it.each([8, 10, 20])('with a ttl of %i ms keeps a distance of some ms: no hot loop', async (ttl) => {
    await hold({ ttl, driftFactor: 0 });
    await pool.clock.advance(1_000);
    expect(times('extend').length).toBeLessThanOrEqual(250);
  });

  it('with the longest ttl of all asks for nothing at once', async () => {
    await hold({ ttl: 10_000_000, maxHold: Infinity });
    await pool.clock.advance(60_000);
    expect(times('extend')).toEqual([]);
    pool.clock.block(10_000_000 * 0.4);
    await pool.clock.advance(500);
    expect(times('extend')).toHaveLength(1);
  });

  it('aborts before the lease is over although every extension hangs', async () => {
    await hold();
    pool.nodes.forEach((node) => (node.faults = { extend: 'silent' }));
    await pool.clock.advance(5_000);
    expect(abortedAt).toBeGreaterThan(900);
    expect(abortedAt).toBeLessThanOrEqual(988);
  });

  it('aborts at once when a majority gave the lock to another', async () => {
    await hold();
    await pool.clock.advance(100);
    pool.memory.forEach((node) => node.set('a', 'thief'));
    await pool.clock.advance(900);
    expect(abortedAt).toBeLessThan(370);
    expect(types()).toEqual(['acquired', 'lost']);
  });

  it('tries again within what is left of the lease, and carries on when the nodes are back', async () => {
    await hold();
    pool.nodes.forEach((node) => node.fail('broken'));
    pool.clock.schedule(800, () => pool.nodes.forEach((node) => node.fail()));
    await pool.clock.advance(5_000);
    const failed = times('extend').filter((at) => at < 800);
    expect(failed.length).toBeGreaterThanOrEqual(3);
    expect(lock.isValid).toBe(true);
  });

  it('rejects nowhere when extensions fail, and the lock says that it is lost', async () => {
    await hold();
    pool.nodes.forEach((node) => node.fail('broken'));
    await pool.clock.advance(1_000);
    expect([lock.isValid, lock.signal.aborted]).toEqual([false, true]);
    expect(types()).toEqual(['acquired', 'lost']);
    expect(pool.clock.timers).toBe(0);
  });

  it('ends with the lock: one under way at the release arms nothing again', async () => {
    await hold();
    pool.nodes.forEach((node) => (node.faults = { extend: { slow: 20 } }));
    while (times('extend').length === 0) await pool.clock.advance(1);
    await pool.clock.until(lock.release());
    await pool.clock.advance(10_000);
    expect(pool.clock.timers).toBe(0);
    expect(types()).toEqual(['acquired', 'released']);
    expect(times('extend')).toHaveLength(1);
    expect(abortedAt).toBeUndefined();
  });

  it('ends with the lock: one that waits for its turn at the release is not sent', async () => {
    await hold({ autoExtend: false });
    pool.nodes.forEach((node) => (node.faults = { extend: { slow: 20 } }));
    const extensions = [lock.extend(), lock.extend()].map((extension) => extension.catch((error: unknown) => error));
    await pool.clock.advance(1);
    await pool.clock.until(lock.release());
    await pool.clock.until(Promise.all(extensions));
    expect(times('extend')).toHaveLength(1);
    expect(await Promise.all(extensions)).toEqual(Array(2).fill(expect.objectContaining({ code: 'LOCK_LOST' })));
  });

  it.each([100, 1_000, 4_000])(
    'ends after a maxHold of %i ms, so that a stuck holder frees the resource',
    async (maxHold) => {
      await hold({ maxHold });
      await pool.clock.advance(60_000);
      expect(times('extend').filter((at) => at > maxHold)).toEqual([]);
      expect(abortedAt).toBeLessThanOrEqual(maxHold + 1_000);
      expect((lock.signal.reason as Error).message).toContain(`extended for maxHold, ${maxHold} ms, and no longer`);
      expect(pool.clock.timers).toBe(0);
    },
  );

  it('is not tried again after maxHold, although the nodes are back', async () => {
    await hold({ ttl: 900, maxHold: 1_000 });
    pool.clock.schedule(700, () => pool.nodes.forEach((node) => node.fail('broken')));
    pool.clock.schedule(1_020, () => pool.nodes.forEach((node) => node.fail()));
    await pool.clock.advance(5_000);
    expect(times('extend').filter((at) => at > 1_000)).toEqual([]);
    expect(abortedAt).toBeLessThan(1_000 + 900);
  });

  it('never ends by itself with a maxHold of Infinity', async () => {
    await hold({ ttl: 60_000, maxHold: Infinity });
    await pool.clock.advance(3_600_000);
    expect(lock.isValid).toBe(true);
  });
});
