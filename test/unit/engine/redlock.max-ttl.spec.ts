import { beforeEach, describe, expect, it } from '@jest/globals';
import { QuorumNotReachedError } from '../../../lib/engine/errors.js';
import { Redlock } from '../../../lib/engine/redlock.js';
import { MAX_TTL, ONCE, WaryPool } from '../../support/wary-pool.js';

describe('with a ttl above maxTtl', () => {
  let pool: WaryPool;
  beforeEach(async () => {
    pool = await WaryPool.trusted();
  });

  const above = { ttl: MAX_TTL + 1 };

  it.each<[string, () => Promise<unknown>]>([
    ['acquire', () => pool.redlock.acquire('a', above)],
    ['tryAcquire', () => pool.redlock.tryAcquire('a', above)],
    ['withLock', () => pool.redlock.withLock('a', () => 1, above)],
  ])('%s is refused at once, before a node is asked', async (_verb, call) => {
    const refused = call();
    await expect(refused).rejects.toBeInstanceOf(RangeError);
    await expect(call()).rejects.toThrow(/ttl must be at most maxTtl, 2000 ms.*got 2001/);
    expect(pool.nodes[0]!.callsOf('acquire')).toEqual([]);
  });

  it('a pool is refused', () => {
    expect(() => new Redlock({ nodes: [], maxTtl: MAX_TTL, defaults: above })).toThrow(RangeError);
  });

  it('an extension is refused, and the lock stays', async () => {
    const lock = await pool.clock.until(pool.redlock.acquire('a'));
    await expect(lock.extend(MAX_TTL + 1)).rejects.toBeInstanceOf(RangeError);
    expect(lock.isValid).toBe(true);
  });

  it('a lock is refused by the nodes themselves, where the client believes otherwise', async () => {
    const careless = pool.client(60_000);
    const error = await pool.clock.until(
      careless.acquire('a', { ...ONCE, ...above }).catch((reason: unknown) => reason),
    );
    expect(error).toBeInstanceOf(QuorumNotReachedError);
    expect((error as Error).message).toMatch(/ttl of 2001 ms is above maxTtl, 2000 ms/);
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined]);
  });

  it('a lock of exactly maxTtl is given, and so is one that says nothing', async () => {
    await expect(pool.clock.until(pool.redlock.acquire('a', { ttl: MAX_TTL }))).resolves.toMatchObject({
      isValid: true,
    });
    expect((await pool.clock.until(pool.redlock.acquire('b'))).validity).toBeLessThanOrEqual(MAX_TTL);
  });
});
