import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { OnceRun } from '../../../lib/idempotency/once-call.js';
import { OnceRunner } from '../../../lib/idempotency/run-once.js';
import { NodesStore } from '../../../lib/idempotency/stores/nodes-store.js';
import { redlockMatchers, type RedlockMatchers } from '../../../lib/testing/matchers.js';
import { TestedPool } from '../../support/tested-pool.js';

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>> extends RedlockMatchers<R> {}
}

expect.extend(redlockMatchers);

const KEEP = 60_000;

describe('the replies of a pool under test', () => {
  let pool: TestedPool;
  let runs: string[];

  const once = (key: string, onInterrupted: 'rerun' | 'refuse' = 'rerun'): Promise<unknown> => {
    const runner = new OnceRunner({ service: pool.service, store: new NodesStore(pool.service) });
    const run: OnceRun = {
      key,
      label: 'order',
      fingerprint: 'f',
      settings: { keep: KEEP, maxBytes: 1_000, onBusy: 'wait', onInterrupted, lock: {} },
      work: async ({ previous }) => {
        runs.push(previous);
        return { keep: { kind: 'reply', by: 'value', body: 'done' } };
      },
      outcomeOf: () => ({ kind: 'reply', by: 'value', body: 'done' }),
    };
    return runner.run(run);
  };

  beforeEach(async () => {
    pool = await TestedPool.start();
    runs = [];
  });
  afterEach(() => pool.close());

  it('are listed by their keys, also while nodes are down', async () => {
    expect(pool.testing.replies()).toEqual([]);
    await once('b');
    await once('a');
    const kept = { state: 'kept', attempts: 1, age: 0, expiresIn: KEEP, size: expect.any(Number) };
    pool.testing.outage();
    expect(pool.testing.replies()).toEqual([
      { key: 'a', ...kept },
      { key: 'b', ...kept },
    ]);
    expect(pool.testing.replies()[0]!.size).toBeGreaterThan(10);
  });

  it('have a matcher for those that were given again', async () => {
    await once('a');
    expect(pool.testing).not.toHaveReplayed('a');
    await Promise.all([once('a'), once('a')]);
    expect(pool.testing).toHaveReplayed('a');
    expect(pool.testing).toHaveReplayed('a', 2);
    expect(pool.testing).not.toHaveReplayed('a', 1);
    expect(pool.testing).toHaveReplayed('b', 0);
    expect(() => expect(pool.testing).toHaveReplayed('a', 3)).toThrow(
      'expected the reply for "a" to have been replayed 3 times; it was 2 times',
    );
    expect(runs).toEqual(['none']);
  });

  it('are forgotten by reset', async () => {
    await once('a');
    pool.testing.reset();
    expect(pool.testing.replies()).toEqual([]);
    await once('a');
    expect(runs).toEqual(['none', 'none']);
  });

  it('can lack that of an attempt that has died', async () => {
    await pool.testing.interrupt('a');
    expect(pool.testing.replies()).toMatchObject([{ key: 'a', state: 'running', attempts: 1, size: 0 }]);
    await expect(once('a', 'refuse')).rejects.toMatchObject({ code: 'IDEMPOTENCY_OUTCOME_UNKNOWN' });
    await once('a');
    expect(runs).toEqual(['interrupted']);
    expect(pool.testing.count('interrupted', 'a')).toBe(2);
  });

  it('cannot be interrupted while a call runs, or once they are kept', async () => {
    const lock = await pool.service.acquire('a');
    await expect(pool.testing.interrupt('a')).rejects.toThrow('A call for "a" is running');
    await lock.release();
    await once('a');
    await expect(pool.testing.interrupt('a')).rejects.toThrow('A reply is kept for "a"');
    await expect(pool.testing.interrupt('')).rejects.toThrow('A resource is a string');
  });
});
