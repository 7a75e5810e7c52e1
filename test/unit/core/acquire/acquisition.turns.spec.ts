import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../../lib/core/api/events.js';
import type { Redlock } from '../../../../lib/core/redlock.js';
import { MemoryPool } from '../../../support/memory-pool.js';

const TERMS = { ttl: 500, waitTimeout: 10_000 };

describe('a lock whose caller goes on in the same turn as another one that computes for longer than the lease', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  const compute = (): void => pool.clock.block(700);
  const tick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
  const microtasks = async (count: number): Promise<void> => {
    for (let step = 0; step < count; step += 1) await Promise.resolve();
  };

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock } = pool.client({ isHeard: () => false }));
  });

  const computing = async (name: string, meanwhile: () => Promise<void>, from = redlock): Promise<void> => {
    const lock = await from.acquire(name, TERMS);
    await meanwhile();
    compute();
    await lock.release();
  };
  const isValidAtOnce = async (name: string): Promise<boolean> => (await redlock.acquire(name, TERMS)).isValid;

  it.each([
    ['at once', 0],
    ['after a microtask', 1],
    ['after two', 2],
    ['after three', 3],
    ['after ten', 10],
  ])('is valid when it is given, if that computes %s', async (_, count) => {
    const first = computing('one', () => microtasks(count));
    const others = [isValidAtOnce('two'), isValidAtOnce('three')];
    expect(await pool.clock.until(Promise.all([...others, first]))).toEqual([true, true, undefined]);
  });

  it.each([0, 1, 2, 3])('is valid when it is given, if that computes after a tick and %i microtasks', async (count) => {
    const meanwhile = async (): Promise<void> => {
      await tick();
      await microtasks(count);
    };
    const first = computing('one', meanwhile);
    const others = [isValidAtOnce('two'), isValidAtOnce('three')];
    expect(await pool.clock.until(Promise.all([...others, first]))).toEqual([true, true, undefined]);
  });

  it.each([0, 1, 2, 3])(
    'is valid where two pools of the process pass locks on, if the other one computes after %i microtasks',
    async (count) => {
      const { redlock: other } = pool.client({ isHeard: () => false });
      const held = await pool.clock.until(Promise.all([redlock.acquire('two', TERMS), other.acquire('one', TERMS)]));
      const [second, first] = [isValidAtOnce('two'), computing('one', () => microtasks(count), other)];
      await pool.clock.advance(1);
      await Promise.all(held.map((lock) => lock.release()));
      expect(await pool.clock.until(Promise.all([second, first]))).toEqual([true, undefined]);
    },
  );

  it.each([0, 1, 2, 3])(
    'begins the work of withLock, if that computes after a tick and %i microtasks',
    async (count) => {
      const meanwhile = async (): Promise<void> => {
        await tick();
        await microtasks(count);
      };
      const first = computing('one', meanwhile);
      const second = redlock.withLock('two', ({ isValid }) => isValid, TERMS);
      expect(await pool.clock.until(Promise.all([second, first]))).toEqual([true, undefined]);
    },
  );

  it.each([0, 1, 2, 3])('is valid where a listener of `acquired` computes after %i microtasks', async (count) => {
    const events: string[] = [];
    const listener = ({ type }: LockEvent): void => {
      events.push(type);
      if (events.length === 1) void microtasks(count).then(compute);
    };
    ({ redlock } = pool.client({ listener }));
    await expect(pool.clock.until(isValidAtOnce('a'))).resolves.toBe(true);
    expect(events).toEqual(['acquired', 'lost', 'acquired']);
  });

  it('is given back, and its release told, where a listener of `acquired` aborts the call', async () => {
    const events: string[] = [];
    const abort = new AbortController();
    const listener = ({ type }: LockEvent): void => {
      events.push(type);
      if (type === 'acquired') abort.abort(new Error('enough'));
    };
    ({ redlock } = pool.client({ listener }));
    const call = redlock.acquire('a', { ...TERMS, signal: abort.signal });
    await expect(pool.clock.until(call)).rejects.toThrow('enough');
    expect(events).toEqual(['acquired', 'released', 'refused']);
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined]);
  });
});
