import { describe, expect, it } from '@jest/globals';
import { getMaxListeners } from 'node:events';
import { LockKeyError, QuorumNotReachedError, ResourceLockedError } from '../../../lib/engine/errors.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import { MemoryPool } from '../../support/memory-pool.js';

const ONCE = { waitTimeout: 0 };

describe('Redlock.acquire', () => {
  it.each([1, 2, 3, 4, 5, 7])('takes the resource on all of %i nodes', async (size) => {
    const pool = new MemoryPool(size);
    const lock = await pool.clock.until(pool.client().redlock.acquire('a', { ttl: 1_000 }));
    expect(pool.owners('a')).toEqual(Array(size).fill(lock.value));
    expect([lock.resources, lock.validity, lock.isValid]).toEqual([['a'], 988, true]);
  });

  it.each([2, 4, 5])('takes a majority of %i nodes, whichever are free, and nothing of half or fewer', async (size) => {
    for (let mask = 0; mask < 2 ** size; mask += 1) {
      const pool = new MemoryPool(size);
      const others = pool.memory.map((_, index) => (mask & (1 << index) ? 'foreign' : undefined));
      others.forEach((other, index) => other && pool.memory[index]!.set('a', other));
      const lock = await pool.clock.until(pool.client().redlock.tryAcquire('a'));
      const isGranted = others.filter((other) => other === undefined).length > size / 2;
      await pool.clock.advance(100);
      expect([mask, lock?.isValid]).toEqual([mask, isGranted || undefined]);
      expect(pool.owners('a')).toEqual(others.map((other) => other ?? lock?.value));
    }
  });

  it('opens the nodes before it asks them, once for all calls', async () => {
    const pool = new MemoryPool();
    let opened = 0;
    const [slow] = pool.nodes;
    slow!.opening = async () => {
      opened += 1;
      await pool.clock.sleep(100);
    };
    const { redlock } = pool.client();
    const both = Promise.all([redlock.acquire('a'), redlock.acquire('b')]);
    await pool.clock.advance(99);
    expect(slow!.calls).toEqual([]);
    expect((await pool.clock.until(both)).every(({ isValid }) => isValid)).toBe(true);
    await redlock.open();
    expect(opened).toBe(1);
  });

  it('counts the lease from when it asked, and not from when it waited for the nodes to open', async () => {
    const pool = new MemoryPool();
    for (const node of pool.nodes) node.opening = () => pool.clock.sleep(100);
    const lock = await pool.clock.until(pool.client().redlock.acquire('a', { ttl: 1_000 }));
    expect(lock.validity).toBe(988);
  });

  it('takes several resources, or none of them', async () => {
    const pool = new MemoryPool();
    const { redlock } = pool.client();
    const lock = await pool.clock.until(redlock.acquire(['a', 'b']));
    expect(lock.resources).toEqual(['a', 'b']);
    await expect(pool.clock.until(redlock.acquire(['c', 'b'], ONCE))).rejects.toBeInstanceOf(ResourceLockedError);
    expect(pool.owners('c')).toEqual([undefined, undefined, undefined]);
  });

  const valuesOf = ({ nodes }: MemoryPool) => nodes.map((node) => node.callsOf('acquire').map(({ value }) => value));

  it.each([
    ['one more', (signal: AbortSignal): LockOptions => ({ signal })],
    ['one that does not wait', (signal: AbortSignal): LockOptions => ({ signal, waitTimeout: 0 })],
  ])('keeps none of several resources if it is aborted while it has no answer for %s', async (_case, optionsFor) => {
    const pool = new MemoryPool();
    const { redlock } = pool.client();
    // Rivals have split the votes, so the call asks again and again.
    pool.memory.forEach((node, index) => node.set('b', `rival-${index}`));
    pool.nodes.forEach((node) => node.fail({ slow: 5 }));
    const stop = new AbortController();
    const taking = redlock.acquire(['a', 'b'], optionsFor(stop.signal));
    pool.clock.schedule(11, () => stop.abort(new Error('enough')));
    await expect(pool.clock.until(taking)).rejects.toThrow('enough');
    await pool.clock.advance(100);
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined]);
    const lock = await pool.clock.until(redlock.tryAcquire('a'));
    expect(lock?.isValid).toBe(true);
  });

  it('may add any number of listeners to the signal, without a warning of Node.js', async () => {
    const pool = new MemoryPool();
    const { signal } = new AbortController();
    await pool.clock.until(pool.client().redlock.acquire(['a', 'b'], { signal }));
    expect(getMaxListeners(signal)).toBe(Infinity);
  });

  it('asks all nodes at once, with a value of its own for every attempt', async () => {
    const pool = new MemoryPool();
    pool.memory.forEach((node) => node.set('a', 'foreign', 500));
    await pool.clock.until(pool.client().redlock.acquire('a'));
    const values = valuesOf(pool);
    expect(values[0]!.length).toBeGreaterThan(1);
    expect(new Set(values[0]).size).toBe(values[0]!.length);
    expect(values[1]).toEqual(values[0]);
    expect(values[2]).toEqual(values[0]);
  });

  it('does not wait for a silent minority', async () => {
    const pool = new MemoryPool(5);
    pool.nodes[0]!.fail('silent');
    pool.nodes[3]!.fail('silent');
    const lock = await pool.clock.until(pool.client().redlock.acquire('a'));
    expect(lock.isValid).toBe(true);
    expect(pool.clock.now().monotonic).toBe(0);
  });

  it('counts the lease from the send, not from the answer', async () => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => node.fail({ slow: 300 }));
    const lock = await pool.clock.until(pool.client({ nodeTimeout: 400 }).redlock.acquire('a', { ttl: 1_000 }));
    expect(lock.validity).toBe(688);
  });

  it('grants nothing whose validity is over before the answers have come', async () => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => node.fail({ slow: 1_500 }));
    const attempt = pool.client({ nodeTimeout: 2_000 }).redlock.acquire('a', { ttl: 1_000, ...ONCE });
    await expect(pool.clock.until(attempt)).rejects.toMatchObject({
      code: 'QUORUM_NOT_REACHED',
      message: expect.stringContaining('the answers took longer than the lease lasts'),
    });
  });

  it('gives back what it was granted too late', async () => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => (node.faults = { acquire: { slow: 990 } }));
    const attempt = pool.client({ nodeTimeout: 2_000 }).redlock.acquire('a', { ttl: 1_000, ...ONCE });
    await expect(pool.clock.until(attempt)).rejects.toBeInstanceOf(QuorumNotReachedError);
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined]);
  });

  it.each(['block', 'suspend'] as const)(
    'grants nothing after a %s of the machine, though all voted in time',
    async (stop) => {
      const pool = new MemoryPool();
      pool.nodes.forEach((node) => node.fail({ slow: 5 }));
      const { redlock } = pool.client();
      await redlock.open();
      const attempt = redlock.acquire('a', { ttl: 300, ...ONCE });
      pool.clock[stop](600);
      await expect(pool.clock.until(attempt)).rejects.toBeInstanceOf(QuorumNotReachedError);
    },
  );

  it('names every node and why where too few answered', async () => {
    const pool = new MemoryPool();
    pool.nodes[0]!.fail('down');
    pool.nodes[1]!.fail('silent');
    const error = await pool.clock.until(pool.client().redlock.acquire('a', ONCE)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(QuorumNotReachedError);
    expect((error as QuorumNotReachedError).nodes).toEqual([
      { node: 'node-1', outcome: 'unknown', detail: 'down' },
      { node: 'node-2', outcome: 'unknown', detail: 'no answer within 50 ms' },
      { node: 'node-3', outcome: 'granted' },
    ]);
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined]);
  });

  it('does not read silence as "held"', async () => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => node.fail('silent'));
    await expect(pool.clock.until(pool.client().redlock.acquire('a', ONCE))).rejects.toBeInstanceOf(
      QuorumNotReachedError,
    );
  });

  it('undoes on every node, whatever it answered', async () => {
    const pool = new MemoryPool(5);
    pool.nodes[0]!.faults = { acquire: 'lost reply' };
    pool.nodes[1]!.faults = { acquire: 'broken' };
    pool.nodes[2]!.faults = { acquire: 'down' };
    pool.memory[3]!.set('a', 'foreign');
    await expect(pool.clock.until(pool.client().redlock.acquire('a', ONCE))).rejects.toThrow();
    const first = pool.nodes[0]!.calls[0]!.value;
    const undone = pool.nodes.map((node) => node.callsOf('release').filter(({ value }) => value === first).length);
    for (const times of undone) expect(times).toBeGreaterThan(0);
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined, 'foreign', undefined]);
  });

  it('undoes a request that arrives after it was given up', async () => {
    const pool = new MemoryPool();
    for (const node of pool.nodes) node.faults = { acquire: { late: 500 } };
    await expect(pool.clock.until(pool.client().redlock.acquire('a', ONCE))).rejects.toBeInstanceOf(
      QuorumNotReachedError,
    );
    await pool.clock.advance(1_000);
    expect(pool.nodes[0]!.callsOf('release')).toHaveLength(1);
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    [60, 5],
    [100, 5],
    [400, 20],
    [10_000, 50],
  ])('with a ttl of %i ms gives a silent node %i ms', async (ttl, timeout) => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => node.fail('silent'));
    await expect(pool.clock.until(pool.client().redlock.acquire('a', { ttl, ...ONCE }))).rejects.toThrow();
    expect(pool.clock.now().monotonic).toBe(timeout);
  });

  it('rejects, rather than throws, for a bad resource or option', async () => {
    const { redlock } = new MemoryPool().client();
    const call = (resource: string, options?: object): Promise<unknown> => redlock.acquire(resource, options);
    await expect(call('').catch((error: unknown) => error)).resolves.toBeInstanceOf(LockKeyError);
    await expect(call('a', { ttl: 0 }).catch((error: unknown) => error)).resolves.toBeInstanceOf(RangeError);
    const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `a:${index}`);
    const calls = [redlock.acquire(names(65)), redlock.tryAcquire(names(65)), redlock.withLock(names(65), () => 1)];
    for (const refused of calls) await expect(refused).rejects.toThrow(/at most 64 resources at once; got 65/);
    const { redlock: wide } = new MemoryPool().client({ maxResources: 128 });
    await expect(wide.acquire(names(129))).rejects.toThrow(/at most 128 resources at once; got 129/);
    await expect(call('a', { tll: 1 }).catch((error: unknown) => error)).resolves.toBeInstanceOf(TypeError);
  });
});

describe('Redlock.tryAcquire', () => {
  it('answers null at once if another holds the resource', async () => {
    const pool = new MemoryPool();
    await pool.clock.until(pool.client().redlock.acquire('a'));
    await expect(pool.clock.until(pool.client().redlock.tryAcquire('a'))).resolves.toBeNull();
    expect(pool.clock.now().monotonic).toBe(0);
  });

  it('throws in an outage: nothing is known then', async () => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => node.fail('down'));
    await expect(pool.clock.until(pool.client().redlock.tryAcquire('a'))).rejects.toBeInstanceOf(QuorumNotReachedError);
  });

  it('throws beside a caller whose answers came too late: nobody holds the resource', async () => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => (node.faults = { acquire: { slow: 300 }, grant: 'silent' }));
    const { redlock } = pool.client({ nodeTimeout: 400 });
    const waiting = redlock.acquire('a', { ttl: 240, waitTimeout: 500 }).catch(() => undefined);
    await pool.clock.advance(310);
    await expect(pool.clock.until(redlock.tryAcquire('a'))).rejects.toThrow('the answers took longer');
    await pool.clock.until(waiting);
  });

  it('waits for a slow node whose answer decides why a waiting caller of the process has no lock', async () => {
    const pool = new MemoryPool();
    [1, 2].forEach((node) => pool.memory[node]!.set('a', 'foreign'));
    pool.nodes[0]!.fail('down');
    pool.nodes[2]!.fail({ slow: 40 });
    const { redlock } = pool.client({ nodeTimeout: 100 });
    const waiting = redlock.acquire('a', { waitTimeout: 200 }).catch(() => undefined);
    await pool.clock.advance(10);
    await expect(pool.clock.until(redlock.tryAcquire('a'))).resolves.toBeNull();
    await pool.clock.until(waiting);
  });

  it('does not wait, whatever the defaults say', async () => {
    const pool = new MemoryPool();
    pool.memory.forEach((node) => node.set('a', 'foreign'));
    const { redlock } = pool.client({ defaults: { waitTimeout: 60_000, retryCount: 10 } });
    await expect(pool.clock.until(redlock.tryAcquire('a'))).resolves.toBeNull();
    expect(pool.nodes[0]!.callsOf('acquire')).toHaveLength(1);
  });
});

describe('Redlock', () => {
  it('lays the options of a call over its defaults, and these over those of the package', async () => {
    const pool = new MemoryPool();
    const { redlock } = pool.client({ defaults: { ttl: 2_000, driftFactor: 0 } });
    expect((await pool.clock.until(redlock.acquire('a'))).validity).toBe(1_998);
    expect((await pool.clock.until(redlock.acquire('b', { ttl: 500 }))).validity).toBe(498);
  });

  it.each([
    [{ ttl: 0 }, 'defaults: ttl must be'],
    [{ ttl: 2 }, 'its clock drift of 3 ms'],
    [{ timeout: 5 }, 'defaults: there is no option "timeout"'],
  ])('refuses the defaults %j when it is made', (defaults, message) => {
    expect(() => new MemoryPool().client({ defaults: defaults as LockOptions })).toThrow(message);
  });
});
