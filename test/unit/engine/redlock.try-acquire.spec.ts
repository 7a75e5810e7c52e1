import { describe, expect, it } from '@jest/globals';
import { QuorumNotReachedError } from '../../../lib/engine/errors.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import { MemoryPool } from '../../support/memory-pool.js';

describe('Redlock.tryAcquire', () => {
  it('takes a free resource', async () => {
    const pool = new MemoryPool();
    const lock = await pool.clock.until(pool.client().redlock.tryAcquire('a'));
    expect(pool.owners('a')).toEqual(Array(3).fill(lock?.value));
    expect(lock?.isValid).toBe(true);
  });

  it('answers null at once where another holds the resource', async () => {
    const pool = new MemoryPool();
    await pool.clock.until(pool.client().redlock.acquire('a'));
    await expect(pool.clock.until(pool.client().redlock.tryAcquire('a'))).resolves.toBeNull();
    expect(pool.clock.now().monotonic).toBe(0);
  });

  it('throws in an outage: nothing is known then', async () => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => node.fail('down'));
    await expect(pool.clock.until(pool.client().redlock.tryAcquire('a'))).rejects.toBeInstanceOf(QuorumNotReachedError);
  });

  it('throws beside a caller whose answers came too late: nobody holds the resource', async () => {
    const pool = new MemoryPool();
    pool.nodes.forEach((node) => (node.faults = { acquire: { slow: 300 }, grant: 'silent' }));
    const { redlock } = pool.client({ nodeTimeout: 400 });
    const waiting = redlock.acquire('a', { ttl: 240, waitTimeout: 500 }).catch(() => undefined);
    await pool.clock.advance(310);
    await expect(pool.clock.until(redlock.tryAcquire('a'))).rejects.toThrow('the answers took longer');
    await pool.clock.until(waiting);
  });

  it('waits for a slow node whose answer decides why a waiting caller of the process has no lock', async () => {
    const pool = new MemoryPool();
    [1, 2].forEach((node) => pool.memory[node]!.set('a', 'foreign'));
    pool.nodes[0]!.fail('down');
    pool.nodes[2]!.fail({ slow: 40 });
    const { redlock } = pool.client({ nodeTimeout: 100 });
    const waiting = redlock.acquire('a', { waitTimeout: 200 }).catch(() => undefined);
    await pool.clock.advance(10);
    await expect(pool.clock.until(redlock.tryAcquire('a'))).resolves.toBeNull();
    await pool.clock.until(waiting);
  });

  it('does not wait, whatever the defaults say', async () => {
    const pool = new MemoryPool();
    pool.memory.forEach((node) => node.set('a', 'foreign'));
    const { redlock } = pool.client({ defaults: { waitTimeout: 60_000, retryCount: 10 } });
    await expect(pool.clock.until(redlock.tryAcquire('a'))).resolves.toBeNull();
    expect(pool.nodes[0]!.callsOf('acquire')).toHaveLength(1);
  });

  it('rejects with the reason of an aborted signal', async () => {
    const { redlock } = new MemoryPool().client();
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(redlock.tryAcquire('a', { signal })).rejects.toThrow('too late');
  });
});

describe('Redlock', () => {
  it('lays the options of a call over its defaults, and these over those of the package', async () => {
    const pool = new MemoryPool();
    const { redlock } = pool.client({ defaults: { ttl: 2_000, driftFactor: 0 } });
    expect((await pool.clock.until(redlock.acquire('a'))).validity).toBe(1_998);
    expect((await pool.clock.until(redlock.acquire('b', { ttl: 500 }))).validity).toBe(498);
  });

  it.each([
    [{ ttl: 0 }, 'defaults: ttl must be'],
    [{ ttl: 2 }, 'its clock drift of 3 ms'],
    [{ timeout: 5 }, 'defaults: there is no option "timeout"'],
  ])('refuses the defaults %j when it is made', (defaults, message) => {
    expect(() => new MemoryPool().client({ defaults: defaults as LockOptions })).toThrow(message);
  });
});
