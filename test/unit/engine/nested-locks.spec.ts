import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { LockLostError, ResourceLockedError } from '../../../lib/engine/errors.js';
import type { Lock } from '../../../lib/engine/lock.js';
import { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';
import { eventually } from '../../support/eventually.js';
import { MemoryPool } from '../../support/memory-pool.js';

const FREE = [undefined, undefined, undefined];
const ONCE = { waitTimeout: 0 };

describe('a nested withLock that is reentrant', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  const acquires = () => pool.nodes[0]!.callsOf('acquire').length;

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock } = pool.client({ defaults: { reentrant: true } }));
  });

  it('for the same resource runs inside the held lock', async () => {
    const outer = redlock.withLock('a', async (lock) => {
      const inner = await redlock.withLock('a', (shared) => shared.value, ONCE);
      expect(lock.isValid).toBe(true);
      return [lock.value, inner];
    });
    const [value, inner] = await pool.clock.until(outer);
    expect(inner).toBe(value);
    expect(acquires()).toBe(1);
    expect(pool.owners('a')).toEqual(FREE);
  });

  it('for some of the resources of the held lock runs inside it', async () => {
    const outer = redlock.withLock(['a', 'b'], async (lock) => redlock.withLock('b', (inner) => inner === lock, ONCE));
    await expect(pool.clock.until(outer)).resolves.toBe(true);
  });

  it('for another resource takes a lock of its own, and both are found further in', async () => {
    const outer = redlock.withLock('a', async (a) =>
      redlock.withLock('b', async (b) =>
        redlock.withLock('a', (again) => redlock.withLock('b', (too) => [again === a, too === b, a === b]), ONCE),
      ),
    );
    await expect(pool.clock.until(outer)).resolves.toEqual([true, true, false]);
    expect(acquires()).toBe(2);
  });

  it('for more than the held resources is an error that says what to do, not a wait for itself', async () => {
    const outer = redlock.withLock('a', async () => redlock.withLock(['a', 'b'], () => 'never'));
    const error = await pool.clock.until(outer).catch((reason: unknown) => reason as Error);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(/"a", "b".* would wait for itself.*already holds "a"/);
    expect(pool.owners('b')).toEqual(FREE);
    expect(pool.owners('a')).toEqual(FREE);
  });

  it('says so without the values in the names, which may be addresses of people', async () => {
    const [ann, bob] = ['user:ann@example.com', 'user:bob@example.com'];
    const outer = redlock.withLock(ann, async () => redlock.withLock([ann, bob], () => 'never'));
    const error = await pool.clock.until(outer).catch((reason: unknown) => reason as Error);
    expect((error as Error).message).toMatch(/on "user:\*", "user:\*" would wait.*holds "user:\*"\. Take/);
    expect((error as Error).stack).not.toMatch(/ann|bob/);
  });

  it('is found across awaits, timers and nested functions', async () => {
    const outer = redlock.withLock('a', async (lock) => {
      await pool.clock.sleep(10);
      const deep = async (): Promise<boolean> => redlock.withLock('a', (inner) => inner === lock, ONCE);
      return Promise.all([deep(), deep()]);
    });
    await expect(pool.clock.until(outer)).resolves.toEqual([true, true]);
  });

  it('that is not awaited keeps the lock until it ends', async () => {
    let detached: Promise<unknown> | undefined;
    const outer = redlock.withLock('a', (lock) => {
      detached = redlock.withLock('a', async () => {
        await pool.clock.sleep(30_000);
        return lock.isValid;
      });
    });
    await pool.clock.until(outer);
    expect(pool.owners('a')).not.toContain(undefined);
    await expect(pool.clock.until(detached!)).resolves.toBe(true);
    expect(pool.owners('a')).toEqual(FREE);
    expect(pool.clock.timers).toBe(0);
  });

  it('whose context has outlived its lock takes one of its own', async () => {
    let late: Promise<Lock> | undefined;
    const outer = redlock.withLock('a', (lock) => {
      late = pool.clock.sleep(100).then(() => redlock.withLock('a', (own) => (own === lock ? lock : own)));
      return lock.value;
    });
    const value = await pool.clock.until(outer);
    expect((await pool.clock.until(late!)).value).not.toBe(value);
    expect(acquires()).toBe(2);
  });

  it('whose lock was lost takes one of its own instead of running unlocked', async () => {
    const outer = redlock.withLock(
      'a',
      async () => {
        pool.clock.block(2_000);
        pool.memory.forEach((node) => node.set('a', 'thief'));
        await expect(redlock.withLock('a', () => 'unlocked', ONCE)).rejects.toBeInstanceOf(ResourceLockedError);
      },
      { ttl: 1_000 },
    );
    await expect(pool.clock.until(outer)).rejects.toBeInstanceOf(LockLostError);
  });

  it('says at its own end that the shared lock was lost under it', async () => {
    const outer = redlock.withLock(
      'a',
      async () => {
        await expect(redlock.withLock('a', () => pool.clock.block(2_000))).rejects.toBeInstanceOf(LockLostError);
      },
      { ttl: 1_000 },
    );
    await expect(pool.clock.until(outer)).rejects.toBeInstanceOf(LockLostError);
  });

  it('that fails leaves the outer lock held', async () => {
    const outer = redlock.withLock('a', async (lock) => {
      const inner = redlock.withLock('a', () => Promise.reject(new Error('inner')));
      await expect(inner).rejects.toThrow('inner');
      return lock.isValid;
    });
    await expect(pool.clock.until(outer)).resolves.toBe(true);
  });
});

describe('work that starts its own successor', () => {
  it('keeps no lock of the past alive', async () => {
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    const nodes = [1, 2, 3].map((name) => new MemoryNode(`node-${name}`, new SystemClock()));
    const ownClock = new Redlock({ nodes, defaults: { reentrant: true } });
    const locks: WeakRef<Lock>[] = [];
    await new Promise<void>((resolve) => {
      const round = async (left: number): Promise<void> => {
        await ownClock.withLock('a', (lock) => {
          locks.push(new WeakRef(lock));
          setTimeout(() => (left > 0 ? void round(left - 1) : resolve()), 1);
        });
      };
      void round(40);
    });
    await eventually(() => {
      collect();
      // Of one or the other a reference lies about still, in a register or with a coverage tool.
      expect(locks.filter((lock) => lock.deref() !== undefined).length).toBeLessThan(5);
    }, 5_000);
  });
});

describe('two contexts', () => {
  it('of one process never share a lock', async () => {
    const pool = new MemoryPool();
    const { redlock } = pool.client({ defaults: { reentrant: true } });
    const one = redlock.withLock('a', async (lock) => {
      await pool.clock.sleep(100);
      return lock.value;
    });
    await pool.clock.advance(10);
    await expect(pool.clock.until(redlock.withLock('a', () => 1, ONCE))).rejects.toBeInstanceOf(ResourceLockedError);
    await pool.clock.until(one);
  });

  it('of two pools never share a lock, though one runs inside the other', async () => {
    const pool = new MemoryPool();
    const [one, other] = [1, 2].map(() => pool.client({ defaults: { reentrant: true } }).redlock);
    const outer = one!.withLock('a', async () => other!.withLock('a', () => 1, ONCE));
    await expect(pool.clock.until(outer)).rejects.toBeInstanceOf(ResourceLockedError);
  });
});
