import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockOptions } from '../../../lib/engine/options.js';
import { MemoryPool } from '../../support/memory-pool.js';

type Redlock = ReturnType<MemoryPool['client']>['redlock'];

/** What became of a call, and when. */
type Told = readonly [code: unknown, at: number];

describe('a call without a quorum', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  const now = (): number => pool.clock.now().monotonic;
  const call = (options: LockOptions = {}, resource: string | string[] = 'a'): Promise<Told> =>
    redlock.acquire(resource, options).then(
      () => ['acquired', now()],
      ({ code }: { code?: unknown }) => [code, now()],
    );
  const fail = (how?: 'down' | 'slow'): void =>
    pool.nodes.slice(0, 2).forEach((node) => {
      node.fail(how === 'slow' ? { slow: 60_000 } : how);
      // Messages come over the same connection.
      if (how === 'slow') node.faults.grant = 'silent';
    });

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock } = pool.client());
  });

  it.each([
    ['nodes are down', 'down', 'a'],
    ['nodes are silent', 'slow', 'a'],
    ['several resources are wanted', 'down', ['a', 'b']],
  ] as const)('ends after one second where %s, and not after waitTimeout', async (_case, how, resource) => {
    fail(how);
    const [code, at] = await pool.clock.until(call({}, resource as string | string[]));
    expect(code).toBe('QUORUM_NOT_REACHED');
    expect(at).toBeGreaterThanOrEqual(1_000);
    expect(at).toBeLessThan(1_150);
  });

  it('says when to try again', async () => {
    fail('down');
    await expect(pool.clock.until(redlock.acquire('a'))).rejects.toMatchObject({ retryAfter: 1_000 });
  });

  it.each([
    [{ quorumTimeout: 300 }, 300],
    [{ quorumTimeout: 3_000 }, 3_000],
    [{ quorumTimeout: 3_000, waitTimeout: 500 }, 500],
    [{ waitTimeout: 500 }, 500],
    [{ waitTimeout: 0 }, 0],
    [{ quorumTimeout: 0 }, 0],
  ])('with %j ends after %d ms', async (options, after) => {
    fail('down');
    const [code, at] = await pool.clock.until(call(options));
    expect(code).toBe('QUORUM_NOT_REACHED');
    expect(at).toBeGreaterThanOrEqual(after);
    expect(at).toBeLessThan(after + 100);
  });

  it('gets the lock where the quorum is back in time', async () => {
    fail('down');
    const called = call();
    await pool.clock.advance(700);
    fail();
    expect((await pool.clock.until(called))[0]).toBe('acquired');
  });

  it('counts anew after a quorum has answered, however long it has waited for the holder', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign', 20_000));
    const called = call({ waitTimeout: 30_000 });
    for (const until of [3_000, 6_000]) {
      await pool.clock.advance(until - now());
      fail('down');
      await pool.clock.advance(700);
      fail();
    }
    await pool.clock.advance(9_000 - now());
    fail('down');
    const [code, at] = await pool.clock.until(called);
    expect(code).toBe('QUORUM_NOT_REACHED');
    expect(at).toBeGreaterThanOrEqual(10_000);
    expect(at).toBeLessThan(10_400);
  });

  it('ends together with all callers of its process that have waited as long', async () => {
    fail('down');
    const early = Array.from({ length: 100 }, () => call());
    await pool.clock.advance(500);
    const late = Array.from({ length: 100 }, () => call());
    const told = await pool.clock.until(Promise.all([...early, ...late]));
    expect(new Set(told.map(([code]) => code))).toEqual(new Set(['QUORUM_NOT_REACHED']));
    expect(Math.max(...told.slice(0, 100).map(([, at]) => at))).toBeLessThan(1_300);
    expect(Math.max(...told.slice(100).map(([, at]) => at))).toBeLessThan(1_800);
  });

  it('behind a holder of its process has the whole time', async () => {
    const lock = await pool.clock.until(redlock.acquire('a', { autoExtend: true }));
    const called = call();
    await pool.clock.advance(4_000);
    fail('down');
    void lock.release();
    const [code, at] = await pool.clock.until(called);
    expect(code).toBe('QUORUM_NOT_REACHED');
    expect(at).toBeGreaterThanOrEqual(5_000);
    expect(at).toBeLessThan(5_300);
  });
});
