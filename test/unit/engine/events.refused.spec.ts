import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

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

  it('says that another holder has the resource, and how long the caller waited', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign'));
    await ask({ waitTimeout: 700 });
    expect(refused()).toEqual([{ type: 'refused', resources: ['a'], waited: 700, code: 'RESOURCE_LOCKED' }]);
  });

  it('says that there is no quorum', async () => {
    pool.nodes.forEach((node) => node.fail('down'));
    await ask({ waitTimeout: 0 });
    expect(refused()).toEqual([{ type: 'refused', resources: ['a'], waited: 0, code: 'QUORUM_NOT_REACHED' }]);
  });

  it('says that the caller has ended its wait', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign'));
    const abort = new AbortController();
    pool.clock.schedule(300, () => abort.abort());
    await ask({ signal: abort.signal });
    expect(refused()).toEqual([{ type: 'refused', resources: ['a'], waited: 300, code: 'ABORTED' }]);
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
