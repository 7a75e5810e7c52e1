import { beforeEach, describe, expect, it } from '@jest/globals';
import { LockLostError } from '../../../lib/engine/errors.js';
import type { Lock } from '../../../lib/engine/lock.js';
import { MemoryPool } from '../../support/memory-pool.js';
import { HeldLock, LossSignal } from '../../../lib/engine/held-lock.js';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import type { Redlock } from '../../../lib/engine/redlock.js';

describe('Lock', () => {
  let pool: MemoryPool;
  let lock: Lock;

  beforeEach(async () => {
    pool = new MemoryPool();
    lock = await pool.clock.until(pool.client().redlock.acquire(['a', 'b'], { ttl: 1_000 }));
  });

  it('knows how long it is valid, by the clock', () => {
    expect(lock.validity).toBe(988);
    pool.clock.block(600);
    expect([lock.validity, lock.isValid]).toEqual([388, true]);
    pool.clock.block(388);
    expect([lock.validity, lock.isValid]).toEqual([0, false]);
  });

  it('is not valid after the machine was suspended for longer than the lease', () => {
    pool.clock.suspend(988);
    expect(lock.isValid).toBe(false);
    expect(() => lock.assertValid()).toThrow(LockLostError);
  });

  it('is not valid for longer because the wall clock was set back', () => {
    pool.clock.stepWall(-60_000);
    pool.clock.block(988);
    expect(lock.isValid).toBe(false);
  });

  it('ends as much earlier as the wall clock was set forward, which looks like a suspension', async () => {
    const { redlock } = pool.client();
    const stepped = await pool.clock.until(redlock.acquire('c', { ttl: 1_000 }));
    pool.clock.stepWall(300);
    expect(stepped.validity).toBe(688);
    pool.clock.stepWall(-300);
    expect(stepped.validity).toBe(988);
  });

  it('aborts its signal with the reason when the lease is over, no later', async () => {
    const { signal } = lock;
    let abortedAt;
    signal.addEventListener('abort', () => (abortedAt = pool.clock.now().monotonic));
    await pool.clock.advance(986);
    expect(signal.aborted).toBe(false);
    await pool.clock.advance(100);
    expect(abortedAt).toBeGreaterThan(986);
    expect(abortedAt).toBeLessThanOrEqual(988);
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', resources: ['a', 'b'] });
    expect((signal.reason as Error).message).toContain('its lease ran out');
  });

  it('has an aborted signal also where it is asked for only after the loss', async () => {
    await pool.clock.advance(1_000);
    expect(lock.signal.aborted).toBe(true);
    expect(lock.signal.reason).toBeInstanceOf(LockLostError);
    expect(lock.signal).toBe(lock.signal);
  });

  it('aborts its signal soon after the machine was suspended for longer than the lease', async () => {
    const { redlock } = pool.client();
    const { signal } = await pool.clock.until(redlock.acquire('c', { ttl: 60_000 }));
    pool.clock.suspend(60_000);
    // Timers stood still as well. The lease is looked at twelve times during its ttl.
    await pool.clock.advance(5_000);
    expect(signal.reason).toBeInstanceOf(LockLostError);
  });

  it('finds out about the end of its lease on the clock, before any timer runs', () => {
    const { signal } = lock;
    pool.clock.block(2_000);
    expect(() => lock.assertValid()).toThrow(LockLostError);
    expect(signal.aborted).toBe(true);
  });

  it('asserts that enough time is left', () => {
    pool.clock.block(600);
    expect(() => lock.assertValid(388)).not.toThrow();
    expect(() => lock.assertValid(389)).toThrow(/lost: less than 389 ms are left/);
    expect(lock.isValid).toBe(true);
  });

  it('is not valid once it was released, and says so', async () => {
    await pool.clock.until(lock.release());
    expect([lock.validity, lock.isValid]).toEqual([0, false]);
    expect(() => lock.assertValid()).toThrow(/it was released/);
    await expect(lock.extend()).rejects.toThrow(/it was released/);
  });

  it('does not abort its signal on an ordinary release', async () => {
    const { signal } = lock;
    await pool.clock.until(lock.release());
    await pool.clock.advance(5_000);
    expect(signal.aborted).toBe(false);
  });

  it('is released at the end of an "await using" block', async () => {
    await pool.clock.until(lock[Symbol.asyncDispose]());
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined]);
    expect(lock.isValid).toBe(false);
  });

  it('leaves no timer behind', async () => {
    await pool.clock.until(lock.release());
    expect(pool.clock.timers).toBe(0);
  });
});

describe('a lock, as its holder sees it', () => {
  it('shows a log its resources and its value, and nothing else', async () => {
    const pool = new MemoryPool();
    const lock = await pool.clock.until(pool.client().redlock.acquire('a'));
    expect(Object.keys(lock)).toEqual(['resources', 'value']);
    expect(JSON.parse(JSON.stringify(lock))).toEqual({ resources: ['a'], value: lock.value });
  });

  it.each([{ resources: ['a'] }, 'lock', 7, null, undefined])('is none of ours if it is a test double: %j', (lock) => {
    expect(HeldLock.of(lock as unknown as HeldLock)).toBeUndefined();
  });
});

describe('LossSignal', () => {
  it('tells signal and listeners, also those that come later', () => {
    const [loss, told] = [new LossSignal(), [] as unknown[]];
    const error = new LockLostError(['a'], 'nodes', 'gone');
    loss.listen((reason) => told.push(reason));
    loss.listen((reason) => told.push(reason))();
    const { signal } = loss;
    loss.happen(error, () => expect([told, signal.aborted, loss.error]).toEqual([[], false, error]));
    loss.listen((reason) => told.push(reason));
    expect([told, signal.reason, loss.error]).toEqual([[error, error], error, error]);
  });
});

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

  it("is 'ttl' if nothing extends the lock", async () => {
    const lock = await hold();
    await pool.clock.advance(2_000);
    expect(reasons()).toEqual(['ttl']);
    expect(lock.signal.reason).toMatchObject({ reason: 'ttl', why: 'its lease ran out' });
  });

  it("is 'nodes' if a quorum no longer has the lock", async () => {
    await hold({ autoExtend: true });
    pool.memory.forEach((node) => node.set('a', 'thief'));
    await pool.clock.advance(900);
    expect(reasons()).toEqual(['nodes']);
  });

  it.each([
    ['fail', () => pool.nodes.forEach((node) => node.fail('broken'))],
    ['hang', () => pool.nodes.forEach((node) => (node.faults = { extend: 'silent' }))],
  ])("is 'nodes' if extensions %s until the lease is over", async (_, spoil) => {
    await hold({ autoExtend: true });
    spoil();
    await pool.clock.advance(2_000);
    expect(reasons()).toEqual(['nodes']);
  });

  it("is 'pause' if the process was paused while it should have extended the lock", async () => {
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

  it("is 'max_hold' if the lock is not to be extended any more", async () => {
    await hold({ autoExtend: true, maxHold: 2_000 });
    await pool.clock.advance(10_000);
    expect(reasons()).toEqual(['max_hold']);
  });

  it("is 'shutdown' if the time to finish was up", async () => {
    await hold({ autoExtend: true });
    await pool.clock.until(redlock.drain(100));
    expect(reasons()).toEqual(['shutdown']);
  });

  it("is 'ttl' if less of the lease is left than the holder needs, which is no loss", async () => {
    const lock = await hold();
    expect(() => lock.assertValid(5_000)).toThrow(expect.objectContaining({ reason: 'ttl' }));
    expect(reasons()).toEqual([]);
  });

  it("is 'released' if the holder itself has released the lock", async () => {
    const lock = await hold();
    await pool.clock.until(lock.release());
    expect(() => lock.assertValid()).toThrow(expect.objectContaining({ reason: 'released' }));
    const refused = await pool.clock.until(lock.extend().catch((error: unknown) => error as LockLostError));
    expect(refused).toMatchObject({ reason: 'released' });
    expect(reasons()).toEqual([]);
  });
});

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

  it('is extended as often as others where that is wanted', async () => {
    await takeOver({ ttl: 1_000, autoExtend: true }, () =>
      pool.nodes.forEach((node) => (node.faults = { grant: { slow: 60 } })),
    );
    await pool.clock.advance(10_000);
    expect(lock.isValid).toBe(true);
    // The first one counts from the question that its process asked last before it heard of the hand-off.
    const asked = pool.nodes[0]!.callsOf('acquire').at(-1)!.at;
    const gaps = extensions().map(([at], index, all) => at! - (all[index - 1]?.[0] ?? asked));
    expect(asked).toBeLessThan(100);
    expect(Math.min(...gaps)).toBeGreaterThan(298);
    expect(Math.max(...gaps)).toBeLessThan(370);
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
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'nodes' });
  });

  it('is released wholly by a release that comes before an extension is answered', async () => {
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
