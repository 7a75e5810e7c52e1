import { beforeEach, describe, expect, it } from '@jest/globals';
import { QuorumNotReachedError } from '../../../lib/engine/errors.js';
import { MAX_TTL, ONCE, WaryPool } from '../../support/wary-pool.js';

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

  it.each([0, 1, 2])('locks with one of them out, in index %i', async (nodeIndex) => {
    pool.restart(nodeIndex);
    const lock = await pool.clock.until(pool.redlock.acquire('a', ONCE));
    expect(pool.memory.map((node) => node.get('a') === lock.value)).toEqual(
      [0, 1, 2].map((each) => each !== nodeIndex),
    );
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

  it.each([0, 1, 2])(
    'gives nobody a lock that was held before the two nodes other than %i were restarted',
    async (kept) => {
      const lock = await pool.clock.until(pool.redlock.acquire('a', { ttl: 1_900 }));
      const rival = pool.client();
      pool.restart(...[0, 1, 2].filter((nodeIndex) => nodeIndex !== kept));
      while (lock.isValid) {
        await expect(pool.refusal('a', rival)).resolves.toBeInstanceOf(QuorumNotReachedError);
        await pool.clock.advance(100);
      }
      const next = await pool.clock.until(rival.acquire('a', { waitTimeout: 5_000 }));
      expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
    },
  );

  it('gives the lock to a rival when restarts do not count, which shows why they count', async () => {
    pool = await WaryPool.trusted(false);
    const lock = await pool.clock.until(pool.redlock.acquire('a', { ttl: 1_900 }));
    pool.restart(0, 1);
    await expect(pool.clock.until(pool.client().acquire('a', ONCE))).resolves.toMatchObject({ isValid: true });
    expect(lock.isValid).toBe(true);
  });

  it('still extends and releases what the nodes have', async () => {
    const lock = await pool.clock.until(pool.redlock.acquire('a'));
    pool.setBack();
    await pool.refusal('b');
    await pool.clock.advance(1_000);
    await pool.clock.until(lock.extend());
    expect(lock.validity).toBeGreaterThan(1_900);
    await pool.clock.until(lock.release());
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined]);
  });

  it('gives nothing to a waiter in the line of nodes that were set back', async () => {
    const lock = await pool.clock.until(pool.redlock.acquire('a'));
    const since = pool.clock.now().monotonic;
    let taken: number | undefined;
    const waiting = pool.client().acquire('a', { waitTimeout: 10_000, retryDelay: 60_000, retryJitter: 0 });
    void waiting.then(() => (taken = pool.clock.now().monotonic));
    await pool.clock.advance(100);
    pool.setBack();
    await pool.clock.until(lock.release());
    await pool.clock.advance(MAX_TTL - 1);
    expect([taken, pool.owners('a')]).toEqual([undefined, Array(3).fill(undefined)]);
    await pool.clock.until(waiting);
    expect(taken).toBeGreaterThanOrEqual(since + 100 + MAX_TTL);
  });
});
