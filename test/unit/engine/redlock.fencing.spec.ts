import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

let pool: MemoryPool;
beforeEach(() => void (pool = new MemoryPool()));

const clientOf = (): Redlock => pool.client().redlock;
const take = (redlock: Redlock, resource: string | string[] = 'a', options: LockOptions = {}): Promise<Lock> =>
  pool.clock.until(redlock.acquire(resource, options));
const proposal = (): number => pool.clock.now().wall * 1_000;

describe('a fencing token', () => {
  it('is the time of day in microseconds where nobody has had the resource', async () => {
    const lock = await take(clientOf());
    expect(lock.fencingToken).toBe(proposal());
    expect(Number.isSafeInteger(lock.fencingToken)).toBe(true);
    expect(JSON.parse(JSON.stringify({ token: lock.fencingToken }))).toEqual({ token: lock.fencingToken });
  });

  it('of several resources is greater than those of all earlier holders of each of them', async () => {
    const redlock = clientOf();
    const tokens: Record<string, number> = {};
    for (const [name, resources] of Object.entries({ a: 'a', a2: 'a', b: 'b', ab: ['a', 'b'], b2: 'b', a3: 'a' })) {
      const lock = await take(redlock, resources);
      tokens[name] = lock.fencingToken - proposal();
      await pool.clock.until(lock.release());
    }
    expect(tokens).toEqual({ a: 0, a2: 1, b: 0, ab: 2, b2: 3, a3: 3 });
  });

  it.each([-1_000, -4_990_000])('goes on growing where all clocks were set back by %i ms meanwhile', async (step) => {
    const first = await take(clientOf());
    await pool.clock.until(first.release());
    pool.clock.stepWall(step);
    expect(pool.memory.map(({ data }) => data.lastToken('a'))).toEqual(Array(3).fill(first.fencingToken));
    expect((await take(clientOf())).fencingToken).toBeGreaterThan(first.fencingToken);
  });

  it('is given to nobody until the clocks have caught up after they were set back by more than half of maxTtl', async () => {
    const first = await take(clientOf());
    await pool.clock.until(first.release());
    pool.clock.stepWall(-6_000_000);
    await expect(take(clientOf(), 'a', { waitTimeout: 0 })).rejects.toMatchObject({
      code: 'QUORUM_NOT_REACHED',
      message: expect.stringMatching(/its clock is more than maxTtl \/ 2 from .* its fencing tokens/),
    });
    await pool.clock.advance(1_000_001);
    expect((await take(clientOf())).fencingToken).toBe(first.fencingToken + 1);
  });
});

const REENTRANT = { reentrant: true };

describe('the fencing token of a lock that is held', () => {
  it('is the same for a lock within the lock', async () => {
    const redlock = clientOf();
    const inner: number[] = [];
    const outer = await pool.clock.until(
      redlock.withLock(['a', 'b'], async ({ fencingToken }) => {
        await redlock.withLock('b', (lock) => void inner.push(lock.fencingToken), REENTRANT);
        await redlock.withLock(['a', 'b'], (lock) => void inner.push(lock.fencingToken), REENTRANT);
        return fencingToken;
      }),
    );
    expect(inner).toEqual([outer, outer]);
  });

  it('stays when the lock is extended, by hand or by itself', async () => {
    const lock = await take(clientOf(), 'a', { ttl: 1_000, autoExtend: true });
    const token = lock.fencingToken;
    await pool.clock.advance(10_000);
    await pool.clock.until(lock.extend());
    expect([lock.isValid, lock.fencingToken]).toEqual([true, token]);
  });

  it('stays as it is while the lock is held, whatever its voters still say', async () => {
    pool = new MemoryPool(5);
    const start = proposal();
    const ahead = (steps: number): number => start + steps * 1_000;
    // Another process has been there.
    [5, 7, 9, 8, 8].forEach((steps, index) =>
      pool.memory[index]!.data.execute('gone', [{ kind: 'raise', resource: 'a', value: 'gone', token: ahead(steps) }]),
    );
    for (const node of pool.nodes) node.faults = { raise: { slow: 20 } };
    for (const node of pool.nodes.slice(3)) node.faults = { ...node.faults, acquire: { slow: 5 } };
    const lock = await take(pool.client().redlock);
    const token = lock.fencingToken;
    await pool.clock.advance(100);
    const raises = pool.nodes.map((node) => node.callsOf('raise').length);
    expect([raises, lock.fencingToken]).toEqual([[1, 1, 1, 1, 1], token]);
    expect(token).toBeGreaterThan(ahead(7));
  });
});
