import { describe, expect, it } from '@jest/globals';
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

  it('grants nothing after a blocked event loop, though every node said yes in time', async () => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => node.fail({ slow: 10 }));
    const { redlock } = pool.client();
    await redlock.open();
    const attempt = redlock.acquire('a', { ttl: 300, ...ONCE });
    pool.clock.block(600);
    await expect(pool.clock.until(attempt)).rejects.toBeInstanceOf(QuorumNotReachedError);
  });

  it('grants nothing after a suspended machine, though every node said yes in time', async () => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => node.fail({ slow: 5 }));
    const { redlock } = pool.client();
    await redlock.open();
    const attempt = redlock.acquire('a', { ttl: 300, ...ONCE });
    pool.clock.suspend(600);
    await expect(pool.clock.until(attempt)).rejects.toBeInstanceOf(QuorumNotReachedError);
  });

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
    await expect(call('a', { tll: 1 }).catch((error: unknown) => error)).resolves.toBeInstanceOf(TypeError);
  });
});
