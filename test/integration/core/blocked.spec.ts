import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { block } from '../../support/block.js';
import { eventually } from '../../support/eventually.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

const CALLERS = 16;
/** Together they compute for longer than their leases last. */
const TERMS = { ttl: 1_000, waitTimeout: 30_000, autoExtend: true };
const COMPUTING = 100;

/** Callers whose locks are decided by one batch, and each of which begins with a long computation. */
describe('callers that compute for long when it is their turn', () => {
  let pool: RedisPool;
  let client: RedisPoolClient;
  beforeAll(async () => {
    pool = await RedisPool.start(3);
    client = await pool.client();
  });
  afterAll(() => pool.stop());

  const all = (call: (resource: string) => Promise<boolean>): Promise<boolean[]> =>
    Promise.all(Array.from({ length: CALLERS }, () => call(pool.resource())));
  /** Whether the lock was valid when its holder began. */
  const compute = (lock: Lock, ms = COMPUTING): boolean => {
    const wasValid = lock.isValid && !lock.signal.aborted;
    block(ms);
    return wasValid;
  };
  const validForAll = Array(CALLERS).fill(true);

  it('begin under valid locks only, by withLock', async () => {
    const begun: boolean[] = [];
    const work = (lock: Lock): void => void begun.push(compute(lock));
    // On a busy machine the computing itself may take longer than the lease, which is told.
    await Promise.allSettled(
      Array.from({ length: CALLERS }, () => client.redlock.withLock(pool.resource(), work, TERMS)),
    );
    expect(begun).toEqual(validForAll);
  });

  it('begin under valid locks only, by acquire, if functions of their own lie between', async () => {
    const between = async (resource: string): Promise<Lock> => {
      const lock = await client.redlock.acquire(resource, TERMS);
      return lock;
    };
    const further = async (resource: string): Promise<Lock> => {
      const lock = await between(resource);
      await Promise.resolve();
      return lock;
    };
    const takeFurther = async (resource: string): Promise<boolean> => {
      const lock = await further(resource);
      const wasValid = compute(lock);
      await lock.release();
      return wasValid;
    };
    await expect(all(takeFurther)).resolves.toEqual(validForAll);
  });

  it('begin under valid locks only where connections break while what is left of these is extended', async () => {
    const proxies = await pool.proxies();
    const sent = (): number[] => proxies.map(({ commands }) => commands.length);
    const { redlock } = await pool.client({ nodes: proxies.map(({ url }) => url) });
    let broken: Promise<void> | undefined;
    const breakWhenSent = async (before: readonly number[]): Promise<void> => {
      for (const proxy of proxies) proxy.pauseReplies();
      await eventually(() => expect(sent().every((count, nodeIndex) => count > before[nodeIndex]!)).toBe(true));
      for (const proxy of proxies) proxy.resetAll();
      for (const proxy of proxies) proxy.resume();
    };
    const begun: boolean[] = [];
    const work = (lock: Lock): void => {
      begun.push(compute(lock));
      broken ??= breakWhenSent(sent());
    };
    // What is left may be too short for the computing, which is told.
    const calls = Array.from({ length: CALLERS }, () => redlock.withLock(pool.resource(), work, TERMS));
    await Promise.allSettled(calls);
    await broken;
    expect(begun).toEqual(validForAll);
  });

  it('begin under valid locks only, or are told why they cannot, where they ask only once', async () => {
    const begun: boolean[] = [];
    const impatient = { ...TERMS, waitTimeout: 0 };
    const work = (lock: Lock): void => void begun.push(compute(lock, 2 * impatient.ttl));
    const outcomes = await Promise.allSettled(
      Array.from({ length: CALLERS }, () => client.redlock.withLock(pool.resource(), work, impatient)),
    );
    const told = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
    const refused = told.filter((reason) => /event loop was blocked/.test(reason));
    expect(refused.length).toBeGreaterThan(0);
    expect(begun).toEqual(Array(CALLERS - refused.length).fill(true));
  });
});
