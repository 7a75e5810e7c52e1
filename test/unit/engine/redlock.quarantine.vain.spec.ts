import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockOptions } from '../../../lib/engine/options.js';
import { MAX_TTL, WaryPool } from '../../support/wary-pool.js';

/** What became of a call, and when. */
type Told = readonly [code: unknown, retryAfter: unknown, at: number];

describe('a wait for a quorum that cannot be there in time', () => {
  let pool: WaryPool;
  const now = (): number => pool.clock.now().monotonic;
  const call = (waitTimeout: number, resource: string | string[] = 'a', options: LockOptions = {}): Promise<Told> =>
    pool.redlock.acquire(resource, { waitTimeout, ...options }).then(
      () => ['acquired', undefined, now()],
      (error: { code?: unknown; retryAfter?: unknown }) => [error.code, error.retryAfter, now()],
    );
  const told = (...calls: Promise<Told>[]): Promise<Told[]> => pool.clock.until(Promise.all(calls));

  beforeEach(async () => {
    pool = new WaryPool();
    await pool.redlock.open();
    await pool.clock.advance(500);
  });

  it.each([
    ['one resource', 'a'],
    ['several resources', ['a', 'b']],
  ])('for %s fails at once, and says when there will be a quorum', async (_case, resource) => {
    expect(await told(call(1_499, resource))).toEqual([['QUORUM_NOT_REACHED', 1_500, 500]]);
  });

  it('fails at once for all callers of the process, except those that wait for long enough', async () => {
    const calls = [20_000, 1_499, 10_000, 700].map((waitTimeout) => call(waitTimeout));
    const refused = ['QUORUM_NOT_REACHED', 1_500, 500];
    expect(await told(calls[1]!, calls[3]!)).toEqual([refused, refused]);
    const late = await told(call(1_000));
    expect(late).toEqual([refused]);
    const [first] = await told(calls[0]!);
    expect(first!.slice(0, 2)).toEqual(['acquired', undefined]);
    expect(first![2]).toBeGreaterThanOrEqual(MAX_TTL);
  });

  it('fails for all callers of a process at the cost of one question to each node', async () => {
    const calls = Array.from({ length: 100 }, () => call(1_000));
    expect(await told(...calls)).toEqual(Array(100).fill(['QUORUM_NOT_REACHED', 1_500, 500]));
    expect(pool.nodes.map((node) => node.callsOf('acquire').length)).toEqual([1, 1, 1]);
  });

  it('is none where nodes that are away may be back sooner', async () => {
    pool = await WaryPool.trusted();
    pool.restart(0);
    pool.nodes[1]!.fail('down');
    const since = now();
    const waiting = call(1_000);
    await pool.clock.advance(600);
    pool.nodes[1]!.fail();
    const [[code, , at]] = (await told(waiting)) as [Told];
    expect(code).toBe('acquired');
    expect(at - since).toBeLessThan(1_000);
  });

  it('is none before a majority is known to be out for longer', async () => {
    pool.nodes[2]!.faults.acquire = { slow: 20 };
    expect(await told(call(1_600))).toEqual([['acquired', undefined, expect.any(Number)]]);
  });
});
