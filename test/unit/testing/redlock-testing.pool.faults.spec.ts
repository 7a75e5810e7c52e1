import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RedlockTesting } from '../../../lib/testing/redlock-testing.js';
import { codeOf, TestedPool } from '../../support/tested-pool.js';
import { turn } from '../../support/turn.js';

describe('a pool under test, whose nodes have faults,', () => {
  let pool: TestedPool;

  beforeEach(async () => {
    pool = await TestedPool.start();
  });
  afterEach(() => pool.close());

  it('locks with a minority of them down, and not with all', async () => {
    pool.testing.outage(1);
    expect(await codeOf(pool.service.withLock('a', () => undefined, { waitTimeout: 0 }))).toBe('done');
    pool.testing.outage();
    expect(pool.testing.count('node-down')).toBe(3);
    expect(await codeOf(pool.service.acquire('a', { waitTimeout: 0 }))).toBe('QUORUM_NOT_REACHED');
    pool.testing.recover();
    expect(await codeOf(pool.service.withLock('a', () => undefined, { waitTimeout: 0 }))).toBe('done');
  });

  it('counts callers that wait for nodes to answer, and gives them the lock once the nodes do', async () => {
    pool.testing.outage(2);
    const taking = pool.service.acquire('a');
    await pool.testing.untilWaiting('a');
    pool.testing.recover();
    await pool.testing.advance(300);
    await (await taking).release();
    expect(pool.testing.waiting('a')).toBe(0);
  });

  it.each([
    ['frozen', (node: RedlockTesting['nodes'][number]) => node.freeze()],
    ['too slow', (node: RedlockTesting['nodes'][number]) => node.slow(60)],
  ])('waits for nodes that are %s no longer than nodeTimeout', async (_name, fault) => {
    for (const node of pool.testing.nodes) fault(node);
    let code: unknown;
    void codeOf(pool.service.acquire('a', { waitTimeout: 0 })).then((told) => (code = told));
    await pool.testing.advance(49);
    expect(code).toBeUndefined();
    await pool.testing.advance(60);
    expect(code).toBe('QUORUM_NOT_REACHED');
    pool.testing.recover();
    await turn();
    expect(pool.testing.locked()).toEqual([]);
  });

  it('locks on nodes that are slow, but not too slow', async () => {
    for (const node of pool.testing.nodes) node.slow(40);
    const taking = pool.service.acquire('a', { waitTimeout: 0 });
    await pool.testing.advance(40);
    const lock = await taking;
    expect(lock.validity).toBeLessThanOrEqual(5_000 - 40);
    pool.testing.recover();
    await lock.release();
  });

  it('tells in its status how slow they are, and that their clock is ours', async () => {
    pool.testing.nodes[1]!.slow(40);
    const status = pool.service.status();
    await pool.testing.advance(40);
    const told = (await status).nodes.map(({ latency, clockOffset }) => [latency, clockOffset]);
    expect(told).toEqual([0, 40, 0].map((latency) => [latency, 0]));
  });

  it('loses what a majority forgot, at the next extension', async () => {
    const lock = await pool.service.acquire('a', { ttl: 3_000, autoExtend: true });
    pool.testing.nodes[0]!.restart();
    pool.testing.nodes[1]!.restart();
    expect(lock.signal.aborted).toBe(false);
    await pool.testing.advance(1_500);
    expect(lock.signal.reason).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('keeps what a majority did not forget', async () => {
    const lock = await pool.service.acquire('a', { ttl: 3_000, autoExtend: true });
    pool.testing.nodes[0]!.restart();
    pool.testing.nodes[1]!.restart({ keep: true });
    await pool.testing.advance(30_000);
    expect(lock.isValid).toBe(true);
    await lock.release();
  });

  it('does not lock on nodes that may have forgotten locks', async () => {
    pool.testing.nodes[0]!.restart({ quarantine: true });
    pool.testing.nodes[1]!.restart({ quarantine: true });
    expect(await pool.service.acquire('a', { waitTimeout: 0 }).catch((error: unknown) => error)).toMatchObject({
      code: 'QUORUM_NOT_REACHED',
      retryAfter: 30_000,
    });
    await pool.testing.advance(30_000);
    expect(await codeOf(pool.service.withLock('a', () => undefined))).toBe('done');
  });

  it('quarantines its new and restarted nodes where it is told to', async () => {
    await pool.close();
    pool = await TestedPool.start({ restartQuarantine: true, maxTtl: 5_000 });
    expect(await codeOf(pool.service.acquire('a', { waitTimeout: 0 }))).toBe('QUORUM_NOT_REACHED');
    await pool.testing.advance(5_000);
    expect(await codeOf(pool.service.withLock('a', () => undefined))).toBe('done');
    for (const node of pool.testing.nodes) node.restart();
    expect(await codeOf(pool.service.acquire('a', { waitTimeout: 0 }))).toBe('QUORUM_NOT_REACHED');
  });
});
