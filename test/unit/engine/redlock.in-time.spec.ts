import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';
import type { LockEvent } from '../../../lib/engine/events.js';

describe('a call that waits', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  const end = (call: Promise<unknown>): Promise<unknown[]> => pool.endOf(call);

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock } = pool.client({ nodeTimeout: 5_000 }));
  });

  describe('before the nodes were opened', () => {
    beforeEach(() => {
      for (const node of pool.nodes) node.opening = () => pool.clock.sleep(1_000);
    });

    it('ends when its time is up', async () => {
      expect(await end(redlock.acquire('a', { waitTimeout: 100 }))).toEqual(['QUORUM_NOT_REACHED', 100]);
    });

    it('ends when it is aborted', async () => {
      const abort = new AbortController();
      pool.clock.schedule(30, () => abort.abort(new Error('enough')));
      expect(await end(redlock.acquire('a', { waitTimeout: 100, signal: abort.signal }))).toEqual(['enough', 30]);
    });

    it('goes on where there is time enough, and waits for them where it asks only once', async () => {
      expect(await end(redlock.acquire('a', { waitTimeout: 1_100 }))).toEqual(['acquired', 1_000]);
      expect(await end(pool.client().redlock.acquire('b', { waitTimeout: 0 }))).toEqual(['acquired', 2_000]);
    });
  });

  describe.each([
    ['one resource', 'a' as const],
    ['several resources', ['a', 'b'] as const],
  ])('for %s', (_, resource) => {
    it('ends in time where the nodes may take longer to answer than it waits', async () => {
      pool.nodes.forEach((node) => (node.faults = { acquire: 'silent' }));
      expect(await end(redlock.acquire(resource, { waitTimeout: 300 }))).toEqual(['QUORUM_NOT_REACHED', 300]);
    });

    it('ends at once where it is aborted while it waits for an answer', async () => {
      pool.nodes.forEach((node) => (node.faults = { acquire: 'silent' }));
      const abort = new AbortController();
      pool.clock.schedule(40, () => abort.abort(new Error('enough')));
      expect(await end(redlock.acquire(resource, { waitTimeout: 300, signal: abort.signal }))).toEqual(['enough', 40]);
    });

    it('still knows that the resource was held where its last round has no time for answers', async () => {
      pool.memory.forEach((node) => node.set('a', 'somebody', 60_000));
      pool.clock.schedule(290, () => pool.nodes.forEach((node) => (node.faults = { acquire: 'silent' })));
      const [code, at] = await end(redlock.acquire(resource, { waitTimeout: 300 }));
      expect(code).toBe('RESOURCE_LOCKED');
      expect(at).toBeLessThanOrEqual(350);
    });

    it('leaves nothing behind of what is granted after its end', async () => {
      pool.nodes.forEach((node) => (node.faults = { acquire: { slow: 400 } }));
      expect(await end(redlock.acquire(resource, { waitTimeout: 300 }))).toEqual(['QUORUM_NOT_REACHED', 300]);
      await pool.clock.advance(1_000);
      expect([pool.owners('a'), pool.owners('b'), pool.clock.timers]).toEqual([
        [undefined, undefined, undefined],
        [undefined, undefined, undefined],
        0,
      ]);
    });
  });

  it('does not ask once more for several resources where one was lost while it waited, and its time is up', async () => {
    pool.memory.forEach((node) => node.set('b', 'somebody', 275));
    pool.nodes.forEach((node) => (node.faults = { extend: 'silent' }));
    pool.clock.schedule(270, () => pool.nodes.forEach((node) => (node.faults = { acquire: { slow: 40 } })));
    const options = { ttl: 200, waitTimeout: 300, retryDelay: 20, retryJitter: 0 };
    const [code, at] = await end(redlock.acquire(['a', 'b'], options));
    expect(code).toBe('RESOURCE_LOCKED');
    expect(at).toBeLessThanOrEqual(350);
  });

  it.each(['a', 'b'])('asks for none of several resources once its time is up, where %s came last', async (last) => {
    pool.memory.forEach((node) => node.set(last, 'somebody', 275));
    pool.clock.schedule(270, () => pool.nodes.forEach((node) => (node.faults = { acquire: { slow: 40 } })));
    const options = { ttl: 10_000, waitTimeout: 300, retryDelay: 20, retryJitter: 0 };
    expect(await end(redlock.acquire(['a', 'b'], options))).toEqual(['RESOURCE_LOCKED', 300]);
    await pool.clock.advance(1_000);
    expect([pool.owners('a'), pool.owners('b')]).toEqual(Array(2).fill([undefined, undefined, undefined]));
  });
});

describe('locks that come in the same turn', () => {
  it.each([
    ['one resource', 'a', 'b'],
    ['several resources', ['a', 'b'], ['c', 'd']],
  ])('of %s are valid although the first holder blocks the event loop', async (_, first, second) => {
    const pool = new MemoryPool();
    const { redlock } = pool.client();
    // The tokens of several resources differ, so that they have to agree on one.
    const ahead = (await pool.clock.until(redlock.acquire('b', { ttl: 50 }))).fencingToken + 1_000_000;
    for (const node of pool.memory)
      for (const resource of ['b', 'd'])
        node.data.execute('other', [{ kind: 'raise', resource, value: '', token: ahead }]);
    await pool.clock.advance(100);
    const valid: boolean[] = [];
    const calls = [first, second].map(async (resources) => {
      const lock = await redlock.acquire(resources, { ttl: 1_000, waitTimeout: 5_000 });
      valid.push(lock.isValid);
      if (valid.length === 1) pool.clock.block(2_000);
      await lock.release();
    });
    await pool.clock.until(Promise.all(calls));
    expect(valid).toEqual([true, true]);
  });
});

describe('a call whose end a listener of events brings about', () => {
  let pool: MemoryPool;

  beforeEach(() => {
    pool = new MemoryPool();
  });

  describe.each([
    ['one resource', 'a' as const],
    ['several resources', ['a', 'b'] as const],
  ])('for %s', (_, resource) => {
    it.each([
      ['aborts it', 'enough'],
      ['closes the pool', 'CLOSED'],
    ])('ends at once if that of `contended` %s, and the nodes answer nothing more', async (how, code) => {
      pool.memory.forEach((node) => node.set('a', 'somebody', 60_000));
      const abort = new AbortController();
      const listener = ({ type }: LockEvent): void => {
        if (type !== 'contended') return;
        pool.nodes.forEach((node) => node.fail('silent'));
        if (how === 'aborts it') abort.abort(new Error('enough'));
        else void heard.drain(0);
      };
      const { redlock: heard } = pool.client({ nodeTimeout: 5_000, listener });
      const call = heard.acquire(resource, { waitTimeout: 3_000, signal: abort.signal });
      expect(await pool.endOf(call)).toEqual([code, 0]);
    });
  });
});
