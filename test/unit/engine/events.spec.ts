import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

describe('events', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  let events: LockEvent[];
  const ofType = (type: LockEvent['type']) => events.filter((event) => event.type === type);

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock, events } = pool.client());
  });

  it('tell that a lock was acquired, after how long and how many attempts', async () => {
    const { fencingToken } = await pool.clock.until(redlock.acquire(['a', 'b']));
    const acquired = { waited: 0, attempts: 1, path: 'free', fencingToken };
    expect(events).toEqual([{ type: 'acquired', resources: ['a', 'b'], ...acquired }]);
  });

  it('tell once per call that the resource was held', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign', 1_500));
    await pool.clock.until(redlock.acquire('a'));
    expect(ofType('contended')).toEqual([{ type: 'contended', resources: ['a'] }]);
    const [acquired] = ofType('acquired') as Extract<LockEvent, { type: 'acquired' }>[];
    expect(acquired!.attempts).toBe(pool.nodes[0]!.callsOf('acquire').length);
    expect(acquired!.attempts).toBeGreaterThan(3);
    expect(acquired!.waited).toBe(Math.round(pool.clock.now().monotonic));
    expect(acquired!.path).toBe('hand-off');
  });

  it('tell that the resource was held also where the caller does not wait', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign'));
    await pool.clock.until(redlock.tryAcquire('a'));
    expect(events.filter(({ type }) => type !== 'refused')).toEqual([{ type: 'contended', resources: ['a'] }]);
  });

  it('tell of a contention that follows an outage', async () => {
    pool.nodes.forEach((node) => node.fail('down'));
    pool.memory.forEach((node) => node.set('a', 'foreign', 2_000));
    pool.clock.schedule(1_000, () => pool.nodes.forEach((node) => node.fail()));
    await pool.clock.until(redlock.acquire('a'));
    expect(events.map(({ type }) => type)).toEqual(['contended', 'acquired']);
  });

  it('do not call an outage a contention', async () => {
    pool.nodes.forEach((node) => node.fail('down'));
    await pool.clock.until(redlock.tryAcquire('a').catch(() => undefined));
    expect(events.map(({ type }) => type)).toEqual(['refused']);
  });

  it('tell of the life of a lock, in order', async () => {
    const lock = await pool.clock.until(redlock.acquire('a', { ttl: 1_000 }));
    await pool.clock.advance(100);
    await pool.clock.until(lock.extend());
    await pool.clock.advance(200);
    await pool.clock.until(lock.release());
    const { fencingToken } = lock;
    expect(events.slice(1)).toEqual([
      { type: 'extended', resources: ['a'], validity: 988 },
      { type: 'released', resources: ['a'], fencingToken, held: 300 },
    ]);
  });

  it('tell once that a lock was lost, with the error that the holder gets', async () => {
    const lock = await pool.clock.until(redlock.acquire('a', { ttl: 1_000 }));
    const { signal, fencingToken } = lock;
    await pool.clock.advance(5_000);
    expect(lock.isValid).toBe(false);
    await pool.clock.until(lock.release());
    const error = signal.reason as Error;
    expect(ofType('lost')).toEqual([{ type: 'lost', resources: ['a'], fencingToken, error }]);
    expect(ofType('released')).toEqual([]);
  });

  it('tell when a node comes and goes, and which', async () => {
    await redlock.open();
    pool.nodes[1]!.emit({ type: 'node-up' });
    pool.nodes[2]!.emit({ type: 'node-down', reason: 'connection closed' });
    expect(events).toEqual([
      { type: 'node-up', node: 'node-2' },
      { type: 'node-down', node: 'node-3', reason: 'connection closed' },
    ]);
  });
});
