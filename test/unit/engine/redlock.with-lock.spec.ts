import { beforeEach, describe, expect, it } from '@jest/globals';
import { LockLostError, QuorumNotReachedError, ResourceLockedError } from '../../../lib/engine/errors.js';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

const FREE = [undefined, undefined, undefined];

describe('Redlock.withLock', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  let events: LockEvent[];

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock, events } = pool.client());
  });

  it('runs the work while the lock is held, hands on its result and releases', async () => {
    const work = redlock.withLock('a', async (lock) => {
      expect(pool.owners('a')).toEqual(Array(3).fill(lock.value));
      await pool.clock.sleep(10);
      return 'result';
    });
    await expect(pool.clock.until(work)).resolves.toBe('result');
    expect(pool.owners('a')).toEqual(FREE);
  });

  it('takes work that returns no promise', async () => {
    await expect(pool.clock.until(redlock.withLock('a', () => 7))).resolves.toBe(7);
  });

  it('starts a query that begins with `then` once, inside its lock', async () => {
    const inner = (): Promise<string> => redlock.withLock('a', () => 'found', { reentrant: true, waitTimeout: 0 });
    let begun = 0;
    const query = {
      // oxlint-disable-next-line unicorn/no-thenable -- as the queries of some libraries
      then: (resolve: (found: unknown) => void, reject: (error: unknown) => void): void => {
        begun += 1;
        void inner().then(resolve, reject);
      },
    };
    const work = redlock.withLock<unknown>('a', () => query);
    await expect(pool.clock.until(work)).resolves.toBe('found');
    expect(begun).toBe(1);
  });

  it.each([
    ['throws', (): never => fail()],
    ['rejects', async (): Promise<never> => fail()],
  ])('hands on the error of work that %s, and releases', async (_case, work) => {
    await expect(pool.clock.until(redlock.withLock('a', work))).rejects.toThrow('business');
    expect(pool.owners('a')).toEqual(FREE);
    expect(pool.clock.timers).toBe(0);
  });

  it('keeps the lock for longer than its ttl', async () => {
    const work = redlock.withLock('a', () => pool.clock.sleep(5_000), { ttl: 500 });
    await pool.clock.until(work);
    expect(pool.clock.now().monotonic).toBe(5_000);
    expect(events.map(({ type }) => type)).not.toContain('lost');
  });

  it('does not extend where it is told not to', async () => {
    const work = redlock.withLock('a', () => pool.clock.sleep(5_000), { ttl: 500, autoExtend: false });
    await expect(pool.clock.until(work)).rejects.toBeInstanceOf(LockLostError);
  });

  it('does not run the work without the lock', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign'));
    let ran = false;
    const work = redlock.withLock('a', () => void (ran = true), { waitTimeout: 0 });
    await expect(pool.clock.until(work)).rejects.toBeInstanceOf(ResourceLockedError);
    pool.nodes.forEach((node) => node.fail('down'));
    const other = redlock.withLock('a', () => void (ran = true), { waitTimeout: 0 });
    await expect(pool.clock.until(other)).rejects.toBeInstanceOf(QuorumNotReachedError);
    expect(ran).toBe(false);
  });

  it('says at the end that the lock was lost under way, after it told the work by the signal', async () => {
    const work = redlock.withLock(
      'a',
      async ({ signal }) => {
        pool.memory.forEach((node) => node.set('a', 'thief'));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return 'too late';
      },
      { ttl: 1_000 },
    );
    await expect(pool.clock.until(work)).rejects.toBeInstanceOf(LockLostError);
    expect(pool.owners('a')).toEqual(Array(3).fill('thief'));
  });

  it('finds a blocked event loop at the end, though no timer could tell of it', async () => {
    const work = redlock.withLock('a', () => pool.clock.block(2_000), { ttl: 1_000 });
    await expect(pool.clock.until(work)).rejects.toMatchObject({ code: 'LOCK_LOST', resources: ['a'] });
  });

  it('hands on the error of the work also where the lock was lost', async () => {
    const work = redlock.withLock('a', () => (pool.clock.block(2_000), fail()), { ttl: 1_000 });
    await expect(pool.clock.until(work)).rejects.toThrow('business');
  });

  it.each(['silent', 'down'] as const)('hands on the result though no release is answered: %s', async (fault) => {
    const work = redlock.withLock('a', () => {
      pool.nodes.forEach((node) => node.fail(fault));
      return 'result';
    });
    await expect(pool.clock.until(work)).resolves.toBe('result');
    expect(pool.clock.now().monotonic).toBeLessThanOrEqual(50);
  });

  it('is content with work that releases by itself', async () => {
    const work = redlock.withLock('a', async (lock) => {
      await lock.release();
      return 'result';
    });
    await expect(pool.clock.until(work)).resolves.toBe('result');
    expect(pool.nodes[0]!.callsOf('release')).toHaveLength(1);
  });

  it.each([[undefined], ['work'], [{ ttl: 1_000 }]])(
    'says what is wrong with %j in place of the work',
    async (work) => {
      await expect(redlock.withLock('a', work as never)).rejects.toThrow('the work must be a function');
      expect(pool.nodes[0]!.calls).toEqual([]);
    },
  );
});

function fail(): never {
  throw new Error('business');
}
