import { beforeEach, describe, expect, it } from '@jest/globals';
import { QuorumNotReachedError } from '../../../lib/engine/errors.js';
import { MAX_TTL, ONCE, WaryPool } from '../../support/wary-pool.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import { Redlock } from '../../../lib/engine/redlock.js';

describe('Redlock over nodes that may have forgotten locks', () => {
  let pool: WaryPool;
  beforeEach(async () => {
    pool = await WaryPool.trusted();
  });

  it.each([
    ['one resource', 'a'],
    ['several resources', ['a', 'b']],
  ])('takes no lock on %s while they are new, and says when it will be possible', async (_case, resource) => {
    pool = new WaryPool();
    await pool.redlock.open();
    await pool.clock.advance(500);
    const error = await pool.refusal(resource);
    expect(error).toBeInstanceOf(QuorumNotReachedError);
    expect(error).toMatchObject({ code: 'QUORUM_NOT_REACHED', retryAfter: 1_500 });
    expect(error.message).toMatch(/ \d of 3 nodes .*; locks are possible again in 1500 ms/);
    expect(error.nodes.filter(({ outcome }) => outcome === 'quarantined').length).toBeGreaterThanOrEqual(2);
    expect(error.nodes[0]).toEqual({ node: 'node-1', outcome: 'quarantined', detail: '1500 ms left' });
  });

  it('tells how many nodes of how many are out', async () => {
    pool.restart(0, 1);
    const error = await pool.refusal('a');
    expect(error.message).toMatch(
      /2 of 3 nodes are in quarantine \(new, restarted, emptied or restored, or their clock was changed\)/,
    );
    expect(error.nodes.map(({ outcome }) => outcome).slice(0, 2)).toEqual(['quarantined', 'quarantined']);
  });

  it('does not report only the nodes that decided the call as if no others were out', async () => {
    pool.restart(0, 1, 2);
    pool.nodes[2]!.faults.acquire = { slow: 5 };
    expect((await pool.refusal('a')).message).toMatch(/ (3|at least 2) of 3 nodes/);
  });

  it.each([
    ['one resource', 'a'],
    ['several resources', ['a', 'b']],
  ])('counts a node that is down as no vote in when %s can be locked again', async (_case, resource) => {
    pool.nodes[2]!.fail('down');
    pool.restart(1);
    await pool.refusal('warm-up');
    await pool.clock.advance(300);
    const error = await pool.refusal(resource);
    expect(error).toMatchObject({ code: 'QUORUM_NOT_REACHED', retryAfter: 1_700 });
    expect(error.message).toMatch(/1 of 3 nodes/);
  });

  it.each([0, 5])(
    'says when a quorum votes, and not when the first of them does: last answer %i ms late',
    async (slow) => {
      pool.restart(0);
      await pool.clock.until(pool.redlock.status());
      await pool.clock.advance(1_900);
      pool.restart(1, 2);
      await pool.clock.until(pool.redlock.status());
      if (slow > 0) pool.nodes[2]!.faults.acquire = { slow };
      const { retryAfter } = await pool.refusal('a');
      await pool.clock.advance(retryAfter - slow - 1);
      await expect(pool.refusal('a')).resolves.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
      await pool.clock.advance(slow + 1);
      await expect(pool.clock.until(pool.redlock.acquire('a', ONCE))).resolves.toMatchObject({ isValid: true });
    },
  );

  it('is unavailable, without a known time at which it will not be, where too few nodes answer', async () => {
    pool.nodes[1]!.fail('down');
    pool.nodes[2]!.fail('down');
    pool.restart(0);
    const error = await pool.refusal('a');
    expect([error.code, error.retryAfter]).toEqual(['QUORUM_NOT_REACHED', 1_000]);
  });

  it.each([
    ['one resource', 'a'],
    ['several resources', ['a', 'b']],
  ])('gives %s to a caller that waits for longer than that', async (_case, resource) => {
    pool = new WaryPool();
    await pool.redlock.open();
    const lock = await pool.clock.until(pool.redlock.acquire(resource, { waitTimeout: 5_000 }));
    expect(lock.isValid).toBe(true);
    expect(pool.clock.now().monotonic).toBeGreaterThanOrEqual(MAX_TTL);
    expect(pool.clock.now().monotonic).toBeLessThan(MAX_TTL + 500);
  });

  it('does not take that for contention', async () => {
    pool = new WaryPool();
    await pool.redlock.open();
    await expect(pool.clock.until(pool.redlock.tryAcquire('a'))).rejects.toBeInstanceOf(QuorumNotReachedError);
    expect(pool.events.filter(({ type }) => type === 'contended')).toEqual([]);
  });
});

describe('Redlock.status over nodes that may have forgotten locks tells', () => {
  let pool: WaryPool;
  beforeEach(async () => {
    pool = await WaryPool.trusted();
  });

  const reason =
    'it is new, or was restarted, emptied or restored, or its clock was changed, and may have forgotten locks';
  const OUT = { up: true, votes: false, reason, latency: 0, clockOffset: 0 };

  it('which nodes vote, and when the others will', async () => {
    pool.restart(1);
    await pool.clock.until(pool.redlock.status());
    await pool.clock.advance(400);
    expect(await pool.clock.until(pool.redlock.status())).toEqual({
      nodes: [
        { node: 'node-1', up: true, votes: true, latency: 0, clockOffset: 0 },
        { node: 'node-2', ...OUT, votesIn: 1_600 },
        { node: 'node-3', up: true, votes: true, latency: 0, clockOffset: 0 },
      ],
      quorum: 2,
      quorumReachable: true,
    });
  });

  it.each<[string, number[], number[], boolean]>([
    ['one is out', [0], [], true],
    ['two are out', [0, 1], [], false],
    ['one is out and one is down', [0], [1], false],
    ['all are out', [0, 1, 2], [], false],
  ])('whether a quorum votes if %s', async (_case, outSeats, downSeats, reachable) => {
    pool.restart(...outSeats);
    for (const nodeIndex of downSeats) pool.nodes[nodeIndex]!.fail('down');
    const status = await pool.clock.until(pool.redlock.status());
    expect(status.quorumReachable).toBe(reachable);
    expect(status.nodes.map(({ up }) => up)).toEqual([0, 1, 2].map((nodeIndex) => !downSeats.includes(nodeIndex)));
  });
});

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

  it('is none if nodes that are away may be back sooner', async () => {
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

  it('a lock is refused by the nodes themselves, if the client believes otherwise', async () => {
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
