import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { NodeEvent } from '../../../lib/engine/lock-node.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';
import type { LockOptions } from '../../../lib/engine/options.js';

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

  const told = (event: Pick<NodeEvent, 'type'>, ...indexes: readonly number[]): void =>
    indexes.forEach((index) => pool.nodes[index]!.emit({ reason: 'why', remaining: 1, ...event }));
  const ofQuorum = () => events.filter(({ type }) => type.startsWith('quorum'));

  it.each<[NodeEvent['type'], NodeEvent['type']]>([
    ['node-down', 'node-up'],
    ['node-quarantined', 'node-trusted'],
    ['node-refused', 'node-accepted'],
  ])('tell each time that too few nodes vote, by %s, and that enough do again, by %s', async (type, end) => {
    await redlock.open();
    told({ type }, 0);
    for (let times = 0; times < 2; times += 1) {
      expect(ofQuorum()).toEqual([]);
      told({ type }, 1, 2);
      expect(ofQuorum()).toEqual([{ type: 'quorum-lost', votes: 1, nodes: 3, quorum: 2 }]);
      for (const other of ['node-up', 'node-trusted', 'node-accepted', 'node-warning'] as const)
        if (other !== end) told({ type: other }, 0, 1, 2);
      expect(ofQuorum()).toHaveLength(1);
      told({ type: end }, 1, 2);
      expect(ofQuorum().slice(1)).toEqual([{ type: 'quorum-reached', votes: 2, nodes: 3, quorum: 2 }]);
      events.length = 0;
    }
  });

  it('count no node out for a warning, nor because it cannot hand off', async () => {
    await redlock.open();
    told({ type: 'node-warning' }, 0, 1, 2);
    told({ type: 'hand-off-unavailable' }, 0, 1, 2);
    expect([events.length, ofQuorum()]).toEqual([6, []]);
  });

  it('judge of the quorum of a start once all nodes were tried', async () => {
    pool.nodes[2]!.opening = async () => {
      told({ type: 'node-down' }, 0, 1);
      told({ type: 'node-up' }, 0);
    };
    await redlock.open();
    expect(ofQuorum()).toEqual([]);
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

describe('the event of a call that ends without the lock', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  let events: LockEvent[];
  const refused = () => events.filter(({ type }) => type === 'refused');
  const ask = (options: LockOptions): Promise<unknown> =>
    pool.clock.until(redlock.acquire('a', options).catch((error: unknown) => error));

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock, events } = pool.client());
  });

  it('says that the pool shuts down, to callers that wait and to callers that come', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign'));
    const waiting = redlock.acquire('a', { waitTimeout: Infinity }).catch(() => undefined);
    await pool.clock.advance(100);
    await pool.clock.until(redlock.drain(0));
    await Promise.all([waiting, ask({})]);
    expect(refused()).toEqual([
      { type: 'refused', resources: ['a'], waited: 100, code: 'CLOSED' },
      { type: 'refused', resources: ['a'], waited: 0, code: 'CLOSED' },
    ]);
  });

  it('comes once for a lock on several resources, and for a withLock', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign'));
    const work = redlock.withLock(['a', 'b'], () => undefined, { waitTimeout: 700 }).catch(() => undefined);
    await pool.clock.until(work);
    expect(refused()).toEqual([{ type: 'refused', resources: ['a', 'b'], waited: 700, code: 'RESOURCE_LOCKED' }]);
  });

  it('does not come with a lock, nor for a call that was never made', async () => {
    await ask({});
    await ask({ ttl: -1 });
    expect(events.map(({ type }) => type)).toEqual(['acquired']);
  });
});

describe('the events of one lock', () => {
  it('have its fencing token', async () => {
    const pool = new MemoryPool();
    const { redlock, events } = pool.client();
    const released = await pool.clock.until(redlock.acquire('a'));
    await pool.clock.until(released.release());
    const lost = await pool.clock.until(redlock.acquire('a', { ttl: 100 }));
    await pool.clock.advance(500);
    const tokens = events.flatMap((event) => ('fencingToken' in event ? [[event.type, event.fencingToken]] : []));
    expect(tokens).toEqual([
      ['acquired', released.fencingToken],
      ['released', released.fencingToken],
      ['acquired', lost.fencingToken],
      ['lost', lost.fencingToken],
    ]);
  });
});
