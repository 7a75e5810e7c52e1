import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import { LockLostError, QuorumNotReachedError } from '../../../lib/engine/errors.js';
import type { Lock } from '../../../lib/engine/lock.js';
import { MemoryPool } from '../../support/memory-pool.js';

describe('Lock.extend', () => {
  let pool: MemoryPool;
  let lock: Lock;
  let events: LockEvent[];

  const setUp = async (size: number): Promise<void> => {
    pool = new MemoryPool(size);
    const client = pool.client({ nodeTimeout: 50 });
    events = client.events;
    lock = await pool.clock.until(client.redlock.acquire('a', { ttl: 1_000 }));
  };
  beforeEach(() => setUp(5));

  it('makes the same lock last for its ttl from now on', async () => {
    await pool.clock.advance(600);
    await pool.clock.until(lock.extend());
    expect(lock.validity).toBe(988);
    await pool.clock.advance(900);
    expect(pool.owners('a')).toEqual(Array(5).fill(lock.value));
    expect(events.at(-1)).toEqual({ type: 'extended', resources: ['a'], validity: 988 });
  });

  it('takes another ttl, also a shorter one', async () => {
    await pool.clock.until(lock.extend(5_000));
    expect(lock.validity).toBe(4_948);
    await pool.clock.until(lock.extend(500));
    expect(lock.validity).toBe(493);
  });

  it.each([0, -1, NaN, 2 ** 31, 3])('refuses a ttl of %d, and keeps the lease', async (ttl) => {
    await expect(lock.extend(ttl)).rejects.toBeInstanceOf(RangeError);
    expect(lock.validity).toBe(988);
    expect(pool.nodes[0]!.callsOf('extend')).toEqual([]);
  });

  it('cuts the ttl to whole ms, which is what Redis takes', async () => {
    await pool.clock.until(lock.extend(1_500.7));
    expect(pool.nodes[0]!.callsOf('extend')[0]!.ttl).toBe(1_500);
  });

  it('does not wait for a silent minority', async () => {
    pool.nodes[0]!.fail('silent');
    pool.nodes[1]!.fail('silent');
    await pool.clock.until(lock.extend());
    expect(pool.clock.now().monotonic).toBe(0);
  });

  it('counts the lease from the send, not from the answer', async () => {
    pool.nodes.forEach((node) => node.fail({ slow: 40 }));
    await pool.clock.until(lock.extend());
    expect(lock.validity).toBe(948);
  });

  it('proves nothing by answers that took longer than the lease', async () => {
    pool.nodes.forEach((node) => node.fail({ slow: 40 }));
    const extension = lock.extend();
    pool.clock.block(1_200);
    await expect(pool.clock.until(extension)).rejects.toBeInstanceOf(LockLostError);
    expect(lock.isValid).toBe(false);
  });

  it('keeps the old lease where too few nodes answer, and names them', async () => {
    await pool.clock.advance(100);
    for (const index of [0, 1, 2]) pool.nodes[index]!.fail('down');
    await expect(pool.clock.until(lock.extend())).rejects.toMatchObject({
      code: 'QUORUM_NOT_REACHED',
      nodes: expect.arrayContaining([{ node: 'node-1', outcome: 'unknown', detail: 'down' }]),
    });
    expect([lock.isValid, lock.validity]).toEqual([true, 888]);
  });

  it('counts a shorter lease from now on even where too few nodes answer: some may have taken it', async () => {
    for (const index of [0, 1, 2]) pool.nodes[index]!.fail('lost reply');
    await expect(pool.clock.until(lock.extend(300))).rejects.toBeInstanceOf(QuorumNotReachedError);
    expect(lock.validity).toBe(295 - 50);
  });

  it.each([
    ['forgot it', (index: number) => pool.memory[index]!.flush()],
    ['gave it to another', (index: number) => pool.memory[index]!.set('a', 'thief')],
  ])('loses the lock where a majority %s', async (_case, spoil) => {
    const { signal } = lock;
    for (const index of [0, 2, 4]) spoil(index);
    await expect(pool.clock.until(lock.extend())).rejects.toMatchObject({
      code: 'LOCK_LOST',
      message: expect.stringContaining('3 of 5 nodes no longer have it'),
    });
    expect([lock.isValid, signal.aborted]).toEqual([false, true]);
    expect(events.at(-1)?.type).toBe('lost');
  });

  it('survives a minority that has it no longer', async () => {
    pool.memory[0]!.flush();
    pool.memory[1]!.set('a', 'thief');
    await pool.clock.until(lock.extend());
    expect([lock.isValid, lock.validity]).toEqual([true, 988]);
  });

  it('is lost, not extended, after the lease is over', async () => {
    await pool.clock.advance(990);
    await expect(lock.extend()).rejects.toBeInstanceOf(LockLostError);
    expect(pool.nodes[0]!.callsOf('extend')).toEqual([]);
  });

  it('runs extensions one after another', async () => {
    pool.nodes.forEach((node) => node.fail({ slow: 20 }));
    const both = Promise.all([lock.extend(2_000), lock.extend(3_000)]);
    expect(pool.nodes[0]!.callsOf('extend')).toHaveLength(0);
    await pool.clock.until(both);
    expect(pool.nodes[0]!.callsOf('extend').map(({ at, ttl }) => [at, ttl])).toEqual([
      [0, 2_000],
      [20, 3_000],
    ]);
  });
});
