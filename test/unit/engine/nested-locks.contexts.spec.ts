import { AsyncLocalStorage } from 'node:async_hooks';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

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
