import { beforeEach, describe, expect, it } from '@jest/globals';
import { QuorumNotReachedError, RedlockClosedError, ResourceLockedError } from '../../../../../lib/core/api/errors.js';
import type { LockOptions } from '../../../../../lib/core/api/options.js';
import type { Redlock } from '../../../../../lib/core/redlock.js';
import { MemoryPool } from '../../../../support/memory-pool.js';

const FREE = [undefined, undefined, undefined];
const NOBODY = [[], [], []];

describe('WaitingLines, when a waiter', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  const now = () => pool.clock.now().monotonic;
  const acquire = (options?: LockOptions) => pool.clock.until(redlock.acquire('a', options));
  const waiting = () => pool.memory.map((node) => node.waiting('a'));
  const asked = () => pool.nodes[0]!.callsOf('acquire').length;
  const errorOf = (promise: Promise<unknown>) => pool.clock.until(promise.catch((error: unknown) => error));
  /** Callers who wait, each for so long. */
  const lineUp = (count: number, options: LockOptions = { waitTimeout: Infinity }) =>
    Array.from({ length: count }, () => redlock.acquire('a', options));

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock } = pool.client());
  });

  it('is one too many tell him at once that it is locked', async () => {
    ({ redlock } = pool.client({ maxWaiters: 2 }));
    const first = await acquire();
    const both = lineUp(2);
    await pool.clock.advance(1_000);
    await expect(errorOf(redlock.acquire('a'))).resolves.toMatchObject({
      code: 'RESOURCE_LOCKED',
      retryAfter: first.validity,
    });
    expect(now()).toBe(1_000);
    await pool.clock.until(first.release());
    const second = await pool.clock.until(both[0]!);
    const third = lineUp(1)[0]!;
    await pool.clock.until(second.release());
    await pool.clock.until((await pool.clock.until(both[1]!)).release());
    expect((await pool.clock.until(third)).isValid).toBe(true);
  });

  it('has waited for his time behind a holder tell him that it is locked, and when it may be free', async () => {
    await acquire({ ttl: 10_000 });
    await expect(errorOf(redlock.acquire('a', { waitTimeout: 700 }))).resolves.toMatchObject({
      code: 'RESOURCE_LOCKED',
      resources: ['a'],
      retryAfter: 9_898 - 700,
    });
    expect([now(), asked()]).toEqual([700, 1]);
  });

  it('has waited for his time while the nodes are away tell him that, and not that it is locked', async () => {
    for (const node of pool.nodes) node.fail('down');
    const first = errorOf(redlock.acquire('a', { waitTimeout: 2_000 }));
    const second = redlock.acquire('a', { waitTimeout: 700 }).catch((error: unknown) => [error, now()]);
    await first;
    expect(await second).toEqual([expect.any(QuorumNotReachedError), 700]);
  });

  it('comes while the nodes are away tell nobody that somebody else has it', async () => {
    const { redlock: away, events } = pool.client();
    for (const node of pool.nodes) node.fail('down');
    const first = errorOf(away.acquire('a', { waitTimeout: 2_000 }));
    await pool.clock.advance(100);
    await errorOf(away.acquire('a', { waitTimeout: 700 }));
    await first;
    expect(events.filter(({ type }) => type === 'contended')).toEqual([]);
  });

  it('has as many tries as he wants behind him in time tell him that it is locked', async () => {
    await acquire();
    const options = { retryCount: 3, retryDelay: 100, waitTimeout: Infinity };
    await expect(errorOf(redlock.acquire('a', options))).resolves.toBeInstanceOf(ResourceLockedError);
    expect(now()).toBe(300);
  });

  it('aborts tell him his reason at once, and serve the others', async () => {
    const first = await acquire();
    const caller = new AbortController();
    const [gone] = lineUp(1, { signal: caller.signal });
    const [next] = lineUp(1);
    pool.clock.schedule(333, () => caller.abort(new Error('enough')));
    await expect(errorOf(gone!)).resolves.toMatchObject({ message: 'enough' });
    expect(now()).toBe(333);
    await pool.clock.until(first.release());
    await pool.clock.until(next!);
    // The first one had the lock to itself, so that it is not passed on without the nodes.
    expect([now(), asked()]).toEqual([333, 2]);
  });

  it('gives up in front of others let the next one ask at once', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign', 60_000));
    const caller = new AbortController();
    const [gone] = lineUp(1, { signal: caller.signal });
    const [next] = lineUp(1, { waitTimeout: 2_000 });
    const caught = [gone!, next!].map((waiter) => waiter.catch(() => undefined));
    await pool.clock.advance(1);
    const [value] = waiting()[0]!;
    pool.clock.schedule(332, () => caller.abort(new Error('enough')));
    await pool.clock.until(caught[0]!);
    expect(waiting().map(([first]) => first === undefined || first === value)).toEqual([false, false, false]);
    await pool.clock.until(caught[1]!);
    expect([now(), waiting()]).toEqual([2_000, NOBODY]);
  });

  it('is sent away by a shutdown tell him so at once', async () => {
    const first = await acquire();
    const caught = lineUp(3).map((waiter) => waiter.catch((error: unknown) => [error, now()]));
    await pool.clock.advance(100);
    const drained = redlock.drain(5_000);
    const closed = [expect.any(RedlockClosedError), 100];
    expect(await pool.clock.until(Promise.all(caught))).toEqual([closed, closed, closed]);
    expect(asked()).toBe(1);
    await pool.clock.until(first.release());
    await pool.clock.until(drained);
    expect([pool.owners('a'), now(), pool.clock.timers]).toEqual([FREE, 100, 0]);
  });

  it('was aborted while the nodes were being opened tell him his reason at once', async () => {
    for (const node of pool.nodes) node.open = () => pool.clock.sleep(100);
    const caller = new AbortController();
    const [first] = lineUp(1);
    const [gone] = lineUp(1, { signal: caller.signal, waitTimeout: 2_000 });
    const caught = gone!.catch((error: unknown) => [(error as Error).message, now()]);
    pool.clock.schedule(50, () => caller.abort(new Error('enough')));
    await pool.clock.until(first!);
    expect(await pool.clock.until(caught)).toEqual(['enough', 50]);
  });
});
