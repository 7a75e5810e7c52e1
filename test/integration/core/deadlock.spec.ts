import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ResourceLockedError } from '../../../lib/engine/errors.js';
import type { LockEvent } from '../../../lib/engine/events.js';
import { EventLog } from '../../../lib/logging/event-log.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

const PATIENT = { waitTimeout: 2_000 };

describe('a call that waits while the code around it holds another lock', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  let events: LockEvent[];

  /** Takes `inner` under `outer`, and says what became of that. */
  const nested = (outer: string | string[], inner: string | string[], options = PATIENT): Promise<string> =>
    redlock.withLock(outer, async () => {
      await pool.clock.sleep(10);
      return redlock.withLock(inner, () => 'done', options).catch(({ message }: ResourceLockedError) => message);
    });
  const warnings = (): string[] => {
    const lines: string[] = [];
    const logger = Object.assign(new Logger('test'), { warn: (line: string) => void lines.push(line) });
    const status = (): Promise<never> => Promise.reject(new Error('nobody asks'));
    const log = new EventLog(logger, { clock: pool.clock, nodes: 3, status });
    for (const event of events) log.notify(event);
    log.stop();
    return lines.filter((line) => line.includes('deadlock'));
  };

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock, events } = pool.client());
  });

  it('says in its error what it holds, what it waits for and what to do, where two wait for each other', async () => {
    const both = Promise.all([nested('a', 'b'), nested('b', 'a', { waitTimeout: 4_000 })]);
    const [first, second] = await pool.clock.until(both);
    expect(first).toBe(
      '"b" is locked by another holder, and this call holds "a". If that holder waits for "a", it is a deadlock: take both in one ' +
        'call, withLock(["a", "b"], ...)',
    );
    expect(second).toBe('done');
  });

  it('says so in the log when it begins to wait, and then counts', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await pool.clock.until(Promise.all([nested(`a:${turn}`, `b:${turn}`), nested(`b:${turn}`, `a:${turn}`)]));
    }
    expect(warnings().toSorted()).toEqual([
      expect.stringMatching(
        /^A call that holds "a:\*" waits for "b:\*"\. .*withLock\(\["a:\*", "b:\*"\], \.\.\.\)\. \[REDLOCK_W09\]$/,
      ),
      expect.stringMatching(
        /^A call that holds "a:\*" waits for "b:\*"\. .* \[REDLOCK_W09\] \(the last of 2 more within 60 s\)$/,
      ),
      expect.stringMatching(
        /^A call that holds "b:\*" waits for "a:\*"\. .*withLock\(\["b:\*", "a:\*"\], \.\.\.\)\. \[REDLOCK_W09\]$/,
      ),
      expect.stringMatching(
        /^A call that holds "b:\*" waits for "a:\*"\. .* \[REDLOCK_W09\] \(the last of 2 more within 60 s\)$/,
      ),
    ]);
  });

  it('names all locks around it, and all resources that it waits for', async () => {
    const other = await pool.clock.until(redlock.acquire('d', { autoExtend: true }));
    const message = await pool.clock.until(redlock.withLock(['a', 'b'], () => nested('c', ['d', 'e'])));
    expect(message).toContain('"d", "e" is locked by another holder, and this call holds "a", "b", "c".');
    expect(message).toContain('withLock(["a", "b", "c", "d", "e"], ...)');
    await pool.clock.until(other.release());
  });

  it('says nothing of it where it holds nothing, does not wait, or waits only for itself', async () => {
    const other = await pool.clock.until(redlock.acquire('b', { autoExtend: true }));
    const alone = redlock.withLock('b', () => '', PATIENT).catch(({ message }: ResourceLockedError) => message);
    const impatient = nested('a', 'b', { waitTimeout: 0 });
    const itself = nested('c', 'c');
    expect(await pool.clock.until(Promise.all([alone, impatient, itself]))).toEqual([
      '"b" is locked by another holder',
      '"b" is locked by another holder',
      '"c" is locked by another holder',
    ]);
    expect(warnings()).toEqual([]);
    await pool.clock.until(other.release());
  });

  it('says nothing of a lock that was released or lost before', async () => {
    const other = await pool.clock.until(redlock.acquire('b', { autoExtend: true }));
    const message = redlock.withLock('a', async (lock) => {
      await lock.release();
      return redlock.withLock('b', () => '', PATIENT).catch((error: ResourceLockedError) => error.message);
    });
    expect(await pool.clock.until(message)).toBe('"b" is locked by another holder');
    await pool.clock.until(other.release());
  });

  it('needs no such words where both are taken in one call', async () => {
    const both = [redlock.withLock(['a', 'b'], () => 1), redlock.withLock(['b', 'a'], () => 2)];
    expect(await pool.clock.until(Promise.all(both))).toEqual([1, 2]);
    expect(warnings()).toEqual([]);
  });
});
