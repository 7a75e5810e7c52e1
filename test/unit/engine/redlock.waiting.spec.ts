import { describe, expect, it } from '@jest/globals';
import { QuorumNotReachedError, ResourceLockedError } from '../../../lib/engine/errors.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

const poolHeldFor = (ttl: number, size = 3): MemoryPool => {
  const pool = new MemoryPool(size);
  pool.memory.forEach((node) => node.set('a', 'foreign', ttl));
  return pool;
};

describe('Redlock.acquire, while the resource is held', () => {
  it('waits until it is free', async () => {
    const pool = poolHeldFor(900);
    const lock = await pool.clock.until(pool.client().redlock.acquire('a'));
    expect(pool.owners('a')).toEqual(Array(3).fill(lock.value));
    expect(pool.clock.now().monotonic).toBeGreaterThanOrEqual(900);
    expect(pool.clock.now().monotonic).toBeLessThan(900 + 310);
  });

  it('tries again after retryDelay give or take retryJitter', async () => {
    const pool = poolHeldFor(5_000);
    const waiting = pool.client().redlock.acquire('a', { retryDelay: 300, retryJitter: 50, waitTimeout: 3_000 });
    await expect(pool.clock.until(waiting)).rejects.toBeInstanceOf(ResourceLockedError);
    const times = pool.nodes[0]!.callsOf('acquire').map(({ at }) => at);
    const gaps = times.slice(1, -1).map((at, index) => at - times[index]!);
    expect(gaps.length).toBeGreaterThan(5);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(250);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(350);
    expect(new Set(gaps).size).toBeGreaterThan(1);
  });

  it('keeps its place however long its ttl and retryDelay are: nodes forget a queue in which nobody asks', async () => {
    const pool = new MemoryPool(3, 1_000_000);
    const [holder, waiter] = [pool.client(), pool.client()].map(({ redlock }) => redlock);
    const lock = await pool.clock.until(holder!.acquire('a', { ttl: 1_000_000 }));
    const waiting = waiter!.acquire('a', { ttl: 1_000_000, retryDelay: 500_000, waitTimeout: Infinity });
    await pool.clock.advance(70_000);
    void lock.release();
    await pool.clock.until(waiting);
    expect(pool.clock.now().monotonic).toBeLessThan(70_100);
  });

  it('gives up after waitTimeout', async () => {
    const pool = poolHeldFor(60_000);
    await expect(pool.clock.until(pool.client().redlock.acquire('a', { waitTimeout: 1_000 }))).rejects.toMatchObject({
      code: 'RESOURCE_LOCKED',
      resources: ['a'],
      // As the nodes said at most a poll before.
      retryAfter: expect.closeTo(59_125, -3),
    });
    expect(pool.clock.now().monotonic).toBeCloseTo(1_000, 0);
  });

  it('gives up after waitTimeout also while votes are split', async () => {
    const pool = new MemoryPool();
    pool.memory.forEach((node, index) => node.set('a', `rival-${index}`));
    pool.nodes.forEach((node) => node.fail({ slow: 40 }));
    const waiting = pool.client().redlock.acquire('a', { waitTimeout: 500 });
    await expect(pool.clock.until(waiting)).rejects.toBeInstanceOf(ResourceLockedError);
    expect(pool.clock.now().monotonic).toBeLessThan(600);
  });

  it.each([
    [0, 1],
    [1, 2],
    [4, 5],
  ])('with a retryCount of %i makes %i attempts', async (retryCount, attempts) => {
    const pool = poolHeldFor(Infinity);
    const waiting = pool.client().redlock.acquire('a', { retryCount, waitTimeout: Infinity });
    await expect(pool.clock.until(waiting)).rejects.toMatchObject({ code: 'RESOURCE_LOCKED', retryAfter: Infinity });
    expect(pool.nodes[0]!.callsOf('acquire')).toHaveLength(attempts);
  });

  it('behind others of its process waits for the time that retryCount attempts would take', async () => {
    const pool = new MemoryPool();
    const { redlock } = pool.client({ nodeTimeout: 20 });
    await pool.clock.until(redlock.acquire('a', { ttl: 60_000 }));
    const waiting = redlock.acquire('a', { retryCount: 3, retryDelay: 100, retryJitter: 30, waitTimeout: Infinity });
    expect(await pool.endOf(waiting)).toEqual(['RESOURCE_LOCKED', 450]);
  });

  it('tells in retryAfter when a quorum would be free', async () => {
    const pool = new MemoryPool(5);
    [900, 100, 500, 700, 300].forEach((ttl, index) => pool.memory[index]!.set('a', 'foreign', ttl));
    await expect(pool.clock.until(pool.client().redlock.acquire('a', { waitTimeout: 0 }))).rejects.toMatchObject({
      retryAfter: 500,
      nodes: expect.arrayContaining([{ node: 'node-1', outcome: 'held', detail: '900 ms left' }]),
    });
  });

  it('goes on trying through an outage, and tells the last reason', async () => {
    const pool = poolHeldFor(60_000);
    const waiting = pool.client().redlock.acquire('a', { waitTimeout: 1_000 });
    pool.clock.schedule(500, () => pool.nodes.forEach((node) => node.fail('down')));
    await expect(pool.clock.until(waiting)).rejects.toBeInstanceOf(QuorumNotReachedError);
    expect(pool.clock.now().monotonic).toBeCloseTo(1_000, 0);
  });

  it('gets the lock when the nodes come back', async () => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => node.fail('down'));
    pool.clock.schedule(700, () => pool.nodes.forEach((node) => node.fail()));
    const lock = await pool.clock.until(pool.client().redlock.acquire('a'));
    expect(lock.isValid).toBe(true);
  });

  it('does not count a vote twice that it has in several attempts', async () => {
    const pool = new MemoryPool();
    pool.memory[1]!.set('a', 'foreign', Infinity);
    pool.memory[2]!.set('a', 'foreign', Infinity);
    const waiting = pool.client().redlock.acquire('a', { retryCount: 8, waitTimeout: Infinity });
    await expect(pool.clock.until(waiting)).rejects.toBeInstanceOf(ResourceLockedError);
    expect(pool.owners('a')).toEqual([undefined, 'foreign', 'foreign']);
  });

  it('is not blocked by what its own last attempt took', async () => {
    const pool = new MemoryPool();
    pool.memory[0]!.set('a', 'foreign', 60_000);
    pool.memory[1]!.set('a', 'foreign', 250);
    const lock = await pool.clock.until(pool.client().redlock.acquire('a'));
    expect(pool.owners('a')).toEqual(['foreign', lock.value, lock.value]);
    expect(pool.clock.now().monotonic).toBeLessThan(250 + 310);
  });

  it('is a single attempt if nobody may wait', async () => {
    const pool = new MemoryPool();
    const { redlock } = pool.client({ maxWaiters: 0 });
    const lock = await pool.clock.until(redlock.acquire('a'));
    await expect(pool.clock.until(redlock.acquire('a'))).rejects.toBeInstanceOf(ResourceLockedError);
    await pool.clock.until(lock.release());
    await pool.clock.until(redlock.acquire('a'));
  });

  it('passes no lock to a caller of the same process with another driftFactor, which would take it for longer valid', async () => {
    const pool = new MemoryPool();
    const { clock } = pool;
    const { redlock } = pool.client();
    const taking = redlock.acquire('a', { ttl: 1_000 });
    const waiting = redlock.acquire('a', { ttl: 1_000, driftFactor: 0.5 });
    const first = await clock.until(taking);
    await clock.until(first.release());
    const second = await clock.until(waiting);
    expect(second.validity).toBeLessThanOrEqual(1_000 - 502);
    expect(second.value).not.toBe(first.value);
  });

  it('takes one holder for one holder although a node is down: no split vote to repeat', async () => {
    const pool = poolHeldFor(Infinity);
    pool.nodes[0]!.fail('down');
    await expect(pool.clock.until(pool.client().redlock.tryAcquire('a'))).resolves.toBeNull();
    expect(pool.nodes[1]!.callsOf('acquire')).toHaveLength(1);
    expect(pool.clock.now().monotonic).toBe(0);
  });
});

describe('Redlock.acquire, while others are in line', () => {
  /** Does not ask again so soon: gets it by hand-off only. */
  const IN_LINE = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };

  it.each([['a'], [['a', 'b']]])(
    'does not take %j if it is free for a moment, but calls the first in line',
    async (wanted) => {
      const pool = poolHeldFor(Infinity);
      const waiting = pool.client().redlock.acquire('a', IN_LINE);
      await pool.clock.advance(100);
      pool.memory.forEach((node) => node.delete('a'));
      expect(await pool.clock.until(pool.client().redlock.tryAcquire(wanted))).toBeNull();
      const lock = await pool.clock.until(waiting);
      expect(pool.owners('a')).toEqual(Array(3).fill(lock.value));
      expect(pool.clock.now().monotonic).toBe(100);
    },
  );

  it('leaves the line before a try of the same process asks, so that no vote comes to nobody', async () => {
    const pool = new MemoryPool();
    const { redlock } = pool.client();
    const rivals = ['r1', 'r2', 'r3'];
    rivals.forEach((value, node) => pool.memory[node]!.set('a', value, 10_000));
    pool.nodes.forEach((node) => node.fail({ slow: 5 }));
    const abort = new AbortController();
    const waiting = redlock.acquire('a', { ttl: 20_000, signal: abort.signal });
    const trying = redlock.tryAcquire('a', { ttl: 20_000 });
    await pool.clock.advance(1);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    while (pool.nodes[0]!.callsOf('acquire').length < 2) await pool.clock.advance(1);
    rivals.forEach((value, node) =>
      pool.nodes[node]!.data.execute('rival', [{ kind: 'release', resource: 'a', value, what: 'stay', ttl: 1 }]),
    );
    void (await pool.clock.until(trying))?.release();
    await pool.clock.advance(500);
    expect(pool.owners('a')).toEqual(Array(3).fill(undefined));
  });

  it('gets its turn for several, and while it waits for one it has only those that come before that', async () => {
    const pool = new MemoryPool();
    const passOn = async ({ redlock }: { readonly redlock: Redlock }): Promise<void> => {
      for (;;) {
        const lock = await redlock.acquire('a', IN_LINE);
        await pool.clock.sleep(10);
        await lock.release();
      }
    };
    // While one of them has it, the other is in line.
    for (const steady of [pool.client(), pool.client()]) void passOn(steady);
    await pool.clock.advance(105);
    const both = pool.client().redlock.acquire(['a', 'b'], IN_LINE);
    const ours = Array(3).fill(expect.stringMatching(/^test@host#3:/));
    await pool.clock.advance(1);
    expect(pool.owners('b')).toEqual([undefined, undefined, undefined]);
    const other = await pool.clock.until(pool.client().redlock.acquire('b', IN_LINE));
    await pool.clock.advance(100);
    expect(pool.owners('a')).toEqual(ours);
    await pool.clock.until(other.release());
    await pool.clock.until(both);
    expect([pool.owners('a'), pool.owners('b')]).toEqual([ours, ours]);
  });
});

describe('Redlock.acquire with a signal', () => {
  it('ends the wait at once, with the reason of the signal, and leaves nothing locked', async () => {
    const pool = new MemoryPool();
    pool.memory[0]!.set('a', 'foreign');
    pool.memory[1]!.set('a', 'foreign');
    const controller = new AbortController();
    const reason = new Error('the client went away');
    const waiting = pool.client().redlock.acquire('a', { signal: controller.signal });
    pool.clock.schedule(333, () => controller.abort(reason));
    await expect(pool.clock.until(waiting)).rejects.toBe(reason);
    expect(pool.clock.now().monotonic).toBe(333);
    expect(pool.owners('a')).toEqual(['foreign', 'foreign', undefined]);
    expect(pool.clock.timers).toBe(0);
  });

  it('asks no node where it was aborted before', async () => {
    const pool = new MemoryPool();
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(pool.client().redlock.acquire('a', { signal })).rejects.toThrow('too late');
    expect(pool.nodes[0]!.calls).toEqual([]);
  });

  it('gives back what it won while it was aborted', async () => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => (node.faults = { acquire: { slow: 20 } }));
    const controller = new AbortController();
    const waiting = pool.client().redlock.acquire('a', { signal: controller.signal });
    pool.clock.schedule(10, () => controller.abort(new Error('enough')));
    await expect(pool.clock.until(waiting)).rejects.toThrow('enough');
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined]);
  });

  it('rejects with the AbortError of the platform where no reason was given', async () => {
    const { redlock } = new MemoryPool().client();
    await expect(redlock.acquire('a', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('has no say once the lock is held', async () => {
    const pool = new MemoryPool();
    const controller = new AbortController();
    const lock = await pool.clock.until(pool.client().redlock.acquire('a', { signal: controller.signal }));
    controller.abort();
    expect([lock.isValid, lock.signal.aborted]).toEqual([true, false]);
  });
});
