import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import { MemoryPool } from '../../support/memory-pool.js';

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
    ])('ends at once where that of `contended` %s, and the nodes answer nothing more', async (how, code) => {
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
