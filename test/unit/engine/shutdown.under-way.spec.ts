import { beforeEach, describe, expect, it } from '@jest/globals';
import { RedlockClosedError } from '../../../lib/engine/errors.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

const FREE = [undefined, undefined, undefined];

describe('a shutdown while the nodes answer a call', () => {
  let pool: MemoryPool;
  let redlock: Redlock;

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock } = pool.client());
  });

  it('gives back what an attempt under way wins', async () => {
    pool.nodes.forEach((node) => (node.faults = { acquire: { slow: 20 } }));
    const taking = redlock.acquire('a').catch((error: unknown) => error);
    await pool.clock.advance(5);
    await pool.clock.until(redlock.drain(5_000));
    expect(await taking).toBeInstanceOf(RedlockClosedError);
    expect(pool.owners('a')).toEqual(FREE);
  });

  it('gives it back also where holders get no time to finish', async () => {
    pool.nodes.forEach((node) => (node.faults = { acquire: { slow: 20 } }));
    const taking = redlock.acquire('a').catch((error: unknown) => error);
    await pool.clock.advance(5);
    const closed = redlock.close().then(() => pool.owners('a'));
    expect(await pool.clock.until(closed)).toEqual(FREE);
    expect(await taking).toBeInstanceOf(RedlockClosedError);
  });
});
