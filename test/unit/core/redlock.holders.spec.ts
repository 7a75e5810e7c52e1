import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ResourceLockedError } from '../../../lib/core/api/errors.js';
import type { LockEvent } from '../../../lib/core/api/events.js';
import { SystemRandom } from '../../../lib/core/collections/random.js';
import { noteKey } from '../../../lib/core/port/process-note.js';
import type { Redlock } from '../../../lib/core/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

const NOTE = { host: 'web-1', pid: 17, application: 'orders', version: '0.1.0', since: '2026-11-24T21:00:00.000Z' };
const OURS = { ...NOTE, pid: 18 };

describe('the holder, for a call that does not get its lock,', () => {
  let pool: MemoryPool;
  let other: Redlock;
  let ours: Redlock;
  let events: LockEvent[];
  /** The marks that the nodes were asked about. */
  let asked: string[];
  const refused = (waitTimeout: number): Promise<ResourceLockedError> =>
    pool.clock.until(
      ours.acquire('a', { waitTimeout }).catch((error: unknown) => error as ResourceLockedError),
    ) as never;

  beforeEach(() => {
    pool = new MemoryPool();
    asked = [];
    for (const node of pool.memory) {
      node.set(noteKey('', 'mark-1'), JSON.stringify(NOTE));
      const noteOf = node.noteOf.bind(node);
      jest.spyOn(node, 'noteOf').mockImplementation((mark, answered) => {
        asked.push(mark);
        noteOf(mark, answered);
      });
    }
    ({ redlock: other } = pool.client({ random: new SystemRandom('mark-1') }));
    const self = { holder: 'mark-2', process: OURS };
    ({ redlock: ours, events } = pool.client({ random: new SystemRandom('mark-2'), self }));
  });

  it('is known at the end of a wait, and asked for once however often the nodes are asked', async () => {
    await pool.clock.until(other.acquire('a', { ttl: 5_000 }));
    const error = await refused(2_000);
    expect(error.cause).toEqual({ holder: 'mark-1', process: NOTE });
    expect(asked).toEqual(['mark-1', 'mark-1', 'mark-1']);
    expect(events.at(-1)).toMatchObject({ type: 'refused', code: 'RESOURCE_LOCKED', cause: error.cause });
  });

  it('becomes known to a call that asks once, which is refused no later for that', async () => {
    await pool.clock.until(other.acquire('a', { ttl: 5_000 }));
    for (const node of pool.memory) jest.spyOn(node, 'noteOf').mockImplementation(() => undefined);
    const before = pool.clock.now().monotonic;
    const error = await refused(0);
    expect(error.cause).toEqual({ holder: 'mark-1' });
    expect(pool.clock.now().monotonic - before).toBeLessThan(1);
  });

  it('is this very process where an earlier caller of it has the lock, and no node is asked', async () => {
    await pool.clock.until(ours.acquire('a', { ttl: 5_000, autoExtend: true }));
    const errors = [await refused(1_000), await refused(0)];
    for (const { cause } of errors) expect(cause).toEqual({ holder: 'mark-2', process: OURS });
    expect(asked).toEqual([]);
  });

  it('is not asked for where the lock is free', async () => {
    const lock = await pool.clock.until(ours.acquire('a'));
    await pool.clock.until(lock.extend());
    await pool.clock.until(lock.release());
    await pool.clock.until(ours.close());
    expect([asked, pool.clock.timers]).toEqual([[], 0]);
  });
});
