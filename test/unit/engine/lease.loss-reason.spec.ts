import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockLostError } from '../../../lib/engine/errors.js';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { Lock } from '../../../lib/engine/lock.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

describe('the reason for which a lock was lost', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  let events: LockEvent[];
  const hold = (options: LockOptions = {}): Promise<Lock> =>
    pool.clock.until(redlock.acquire('a', { ttl: 1_000, ...options }));
  /** Of all losses so far, as the events tell them. */
  const reasons = () => events.flatMap((event) => (event.type === 'lost' ? [event.error.reason] : []));

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock, events } = pool.client());
  });

  it("is 'ttl' where nothing extends the lock", async () => {
    const lock = await hold();
    await pool.clock.advance(2_000);
    expect(reasons()).toEqual(['ttl']);
    expect(lock.signal.reason).toMatchObject({ reason: 'ttl', why: 'its lease ran out' });
  });

  it("is 'nodes' where a quorum no longer has the lock", async () => {
    await hold({ autoExtend: true });
    pool.memory.forEach((node) => node.set('a', 'thief'));
    await pool.clock.advance(900);
    expect(reasons()).toEqual(['nodes']);
  });

  it.each([
    ['fail', () => pool.nodes.forEach((node) => node.fail('broken'))],
    ['hang', () => pool.nodes.forEach((node) => (node.faults = { extend: 'silent' }))],
  ])("is 'nodes' where extensions %s until the lease is over", async (_, spoil) => {
    await hold({ autoExtend: true });
    spoil();
    await pool.clock.advance(2_000);
    expect(reasons()).toEqual(['nodes']);
  });

  it("is 'pause' where the process stood still while it should have extended the lock", async () => {
    await hold({ autoExtend: true });
    await pool.clock.advance(2_000);
    pool.clock.block(5_000);
    await pool.clock.advance(10);
    expect(reasons()).toEqual(['pause']);
  });

  it("is 'pause' also after an extension that failed and one that succeeded", async () => {
    await hold({ autoExtend: true });
    pool.nodes.forEach((node) => node.fail('broken'));
    pool.clock.schedule(500, () => pool.nodes.forEach((node) => node.fail()));
    await pool.clock.advance(2_000);
    pool.clock.block(5_000);
    await pool.clock.advance(10);
    expect(reasons()).toEqual(['pause']);
  });

  it("is 'max_hold' where the lock is not to be extended any more", async () => {
    await hold({ autoExtend: true, maxHold: 2_000 });
    await pool.clock.advance(10_000);
    expect(reasons()).toEqual(['max_hold']);
  });

  it("is 'shutdown' where the time to finish was up", async () => {
    await hold({ autoExtend: true });
    await pool.clock.until(redlock.drain(100));
    expect(reasons()).toEqual(['shutdown']);
  });

  it("is 'ttl' where less of the lease is left than the holder needs, which is no loss", async () => {
    const lock = await hold();
    expect(() => lock.assertValid(5_000)).toThrow(expect.objectContaining({ reason: 'ttl' }));
    expect(reasons()).toEqual([]);
  });

  it("is 'released' where the holder itself has released the lock", async () => {
    const lock = await hold();
    await pool.clock.until(lock.release());
    expect(() => lock.assertValid()).toThrow(expect.objectContaining({ reason: 'released' }));
    const refused = await pool.clock.until(lock.extend().catch((error: unknown) => error as LockLostError));
    expect(refused).toMatchObject({ reason: 'released' });
    expect(reasons()).toEqual([]);
  });
});
