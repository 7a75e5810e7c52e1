import { beforeEach, describe, expect, it } from '@jest/globals';
import { ResourceLockedError } from '../../../lib/engine/errors.js';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { Deferred } from '../../support/nest/deferred.js';
import { MemoryPool } from '../../support/memory-pool.js';
import { AsyncLocalStorage } from 'node:async_hooks';

const REENTRANT = { reentrant: true };

describe('a lock on what the async context holds already', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  let events: LockEvent[];
  let [inside, most]: number[] = [];
  const told = (): LockEvent[] => events.filter(({ type }) => type === 'self-contended');

  /** The section: 50 ms in which nobody else is to be. */
  const section = async (): Promise<void> => {
    inside! += 1;
    most = Math.max(most!, inside!);
    await pool.clock.sleep(50);
    inside! -= 1;
  };

  beforeEach(() => {
    [inside, most] = [0, 0];
    pool = new MemoryPool();
    ({ redlock, events } = pool.client());
  });

  it('is not shared with the jobs of others that run in a queue which its holder happened to start', async () => {
    const jobs: (() => Promise<unknown>)[] = [];
    const isOver = new Deferred();
    let running: Promise<void> | undefined;
    const run = async (): Promise<void> => {
      await Promise.all(jobs.splice(0).map((job) => job()));
      isOver.resolve();
    };
    // As a batch loader does: the first caller starts it, and all jobs run in the context of that caller.
    const enqueue = (job: () => Promise<unknown>): void => {
      jobs.push(job);
      running ??= pool.clock.sleep(5).then(run);
    };
    const holder = redlock.withLock('a', async () => {
      enqueue(async () => undefined);
      await section();
    });
    await pool.clock.advance(2);
    for (let count = 0; count < 3; count += 1) enqueue(() => redlock.withLock('a', section));
    await pool.clock.until(Promise.all([holder, isOver.promise]));
    expect([most, inside]).toEqual([1, 0]);
    expect(events.filter(({ type }) => type === 'acquired')).toHaveLength(4);
  });

  it('is not shared by siblings that it leaves behind: they exclude each other', async () => {
    let siblings: Promise<unknown> | undefined;
    const outer = redlock.withLock('a', () => {
      siblings = Promise.all([1, 2, 3].map(() => redlock.withLock('a', section)));
    });
    await pool.clock.until(outer);
    await pool.clock.until(siblings!);
    expect(most).toBe(1);
  });

  it('is waited for until the time is up, where the code around it awaits that', async () => {
    const outer = redlock.withLock('a', async () => redlock.withLock('a', section, { waitTimeout: 500 }));
    await expect(pool.clock.until(outer)).rejects.toBeInstanceOf(ResourceLockedError);
    expect(most).toBe(0);
  });

  it.each<[string, (options: LockOptions) => Promise<unknown>]>([
    ['withLock', (options) => redlock.withLock('a', () => 1, options)],
    ['acquire', (options) => redlock.acquire('a', options)],
    ['a single attempt', () => redlock.tryAcquire('a')],
  ])('is told of at once, before anything is waited for: %s', async (_case, nested) => {
    const outer = redlock.withLock('a', async () => {
      const waiting = nested({ waitTimeout: 100 }).catch(() => undefined);
      // In the very turn of the call, and before anything else.
      expect(events[1]).toEqual({ type: 'self-contended', resources: ['a'], holding: ['a'] });
      await waiting;
    });
    await pool.clock.until(outer);
    expect(told()).toHaveLength(1);
  });

  it('is told of where it is held further out, and with which of several resources', async () => {
    const ONCE = { waitTimeout: 0 };
    const outer = redlock.withLock('a', async () =>
      redlock.withLock('b', async () => redlock.withLock(['c', 'b', 'a'], () => 1, ONCE)),
    );
    await expect(pool.clock.until(outer)).rejects.toBeInstanceOf(ResourceLockedError);
    expect(told()).toEqual([{ type: 'self-contended', resources: ['c', 'b', 'a'], holding: ['b', 'a'] }]);
  });

  it('is not told of where the context does not hold it, or no longer', async () => {
    let late: Promise<unknown> | undefined;
    const outer = redlock.withLock('a', async () => {
      late = pool.clock.sleep(100).then(() => redlock.withLock('a', () => 1));
      await redlock.withLock('b', () => 1);
    });
    await pool.clock.until(outer);
    await pool.clock.until(late!);
    const lost = redlock.withLock(
      'a',
      async () => {
        pool.clock.block(2_000);
        await redlock.withLock('a', () => 1);
      },
      { ttl: 1_000 },
    );
    await expect(pool.clock.until(lost)).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(told()).toEqual([]);
  });

  it.each<[string, LockOptions | undefined, LockOptions | undefined]>([
    ['the call', undefined, REENTRANT],
    ['the defaults', REENTRANT, undefined],
  ])('is shared where %s says that it is reentrant', async (_case, defaults, options) => {
    ({ redlock, events } = pool.client({ defaults }));
    const outer = redlock.withLock('a', (lock) => redlock.withLock('a', (inner) => inner === lock, options));
    await expect(pool.clock.until(outer)).resolves.toBe(true);
    expect(told()).toEqual([]);
  });

  it('is waited for where the call says that it is not reentrant, whatever the defaults say', async () => {
    ({ redlock } = pool.client({ defaults: REENTRANT }));
    const options = { reentrant: false, waitTimeout: 0 };
    const outer = redlock.withLock('a', () => redlock.withLock('a', () => 1, options));
    await expect(pool.clock.until(outer)).rejects.toBeInstanceOf(ResourceLockedError);
  });

  it('is never shared with acquire, which says so where it is told to', async () => {
    await expect(redlock.acquire('a', REENTRANT)).rejects.toThrow(TypeError);
    await expect(redlock.acquire('a', REENTRANT)).rejects.toThrow(/reentrant: true is for withLock and @WithLock/);
    await expect(redlock.tryAcquire('a', REENTRANT)).rejects.toThrow(/reentrant/);
    await expect(redlock.acquire('a', { reentrant: 'yes' } as never)).rejects.toThrow(
      /reentrant must be true or false/,
    );
    ({ redlock, events } = pool.client({ defaults: REENTRANT }));
    const outer = redlock.withLock('a', () => redlock.tryAcquire('a', { reentrant: false }));
    await expect(pool.clock.until(outer)).resolves.toBeNull();
    expect(told()).toHaveLength(1);
  });
});

describe('a lock that is lost while another caller is the last one that set a timer', () => {
  const requests = new AsyncLocalStorage<string>();
  let pool: MemoryPool;
  let redlock: Redlock;
  let hear: (event: LockEvent) => void;
  /** Who is in the section under the lock on `account`. */
  let inside: string[];
  let together: string[][];

  beforeEach(() => {
    pool = new MemoryPool();
    hear = () => undefined;
    ({ redlock } = pool.client({ listener: (event) => hear(event) }));
    [inside, together] = [[], []];
  });

  const enter = async (who: string, ms: number): Promise<void> => {
    inside = [...inside, who];
    if (inside.length > 1) together.push(inside);
    await pool.clock.sleep(ms);
    inside = inside.filter((other) => other !== who);
  };
  const cleanUp = (): Promise<void> => redlock.withLock('account', () => enter('A', 10), { reentrant: true });
  const takeAnother = async (): Promise<void> => {
    await pool.clock.sleep(600);
    const other = await redlock.acquire('other');
    await other.release();
  };
  const requestOfB = (): Promise<unknown> =>
    requests.run('B', () => redlock.withLock('account', () => Promise.all([enter('B', 2_000), takeAnother()])));

  it('tells that in the context of its own holder, whose clean-up joins no lock of the other one', async () => {
    const told: unknown[] = [];
    const over = requests.run('A', async () => {
      const lock = await redlock.acquire('job', { ttl: 900 });
      const { signal } = lock;
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          told.push(requests.getStore());
          void cleanUp().then(resolve);
        });
      });
    });
    await pool.clock.advance(10);
    await pool.clock.until(Promise.all([over, requestOfB()]));
    expect([told, together]).toEqual([['A'], []]);
  });

  it('tells listeners of events outside of the lock of the other one', async () => {
    let over: Promise<void> | undefined;
    hear = ({ type }) => {
      if (type === 'lost') over = cleanUp();
    };
    await pool.clock.until(redlock.acquire('job', { ttl: 900 }));
    await pool.clock.until(requestOfB());
    await pool.clock.until(over!);
    expect(together).toEqual([]);
  });
});
