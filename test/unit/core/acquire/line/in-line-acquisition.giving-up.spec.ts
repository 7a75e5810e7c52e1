import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockOptions } from '../../../../../lib/core/api/options.js';
import { MemoryPool } from '../../../../support/memory-pool.js';
import { releaseFor, Rival } from '../../../../support/rival.js';
import type { Fault } from '../../../../support/scripted-node.js';

const HOLDER = 'holder';
const NOBODY = [[], [], []];
const FREE = [undefined, undefined, undefined];

describe('InLineAcquisition, giving up', () => {
  const reason = new Error('enough');
  let pool: MemoryPool;
  let rival: Rival;
  const now = () => pool.clock.now().monotonic;
  const hold = (memory = pool.memory) => memory.forEach((node) => node.set('a', HOLDER, 60_000));
  const waiting = () => pool.memory.map((node) => node.waiting('a'));
  /** Contends, and gives up after `ms`: the error. */
  const giveUp = (ms: number, how: (typeof WAYS)[number] = 'signal', options: LockOptions = {}) => {
    if (how === 'signal') pool.clock.schedule(ms, () => rival.caller.abort(reason));
    if (how === 'closing') pool.clock.schedule(ms, () => rival.closing.stop(reason));
    const outcome = rival.contend({ ...options, ...(how === 'waitTimeout' && { waitTimeout: ms }) });
    return outcome.catch((error: unknown) => error);
  };
  const WAYS = ['waitTimeout', 'signal', 'closing'] as const;

  beforeEach(() => {
    pool = new MemoryPool(3);
    rival = new Rival(pool, 'ours');
  });

  it.each(WAYS)('because of its %s leaves every line and takes no key', async (how) => {
    hold();
    const error = await pool.clock.until(giveUp(333, how));
    expect(how === 'waitTimeout' ? (error as { code: string }).code : error).toBe(
      how === 'waitTimeout' ? 'RESOURCE_LOCKED' : reason,
    );
    expect(now()).toBe(333);
    expect([waiting(), pool.owners('a')]).toEqual([NOBODY, Array(3).fill(HOLDER)]);
    expect([rival.gaveUp, rival.times('release')]).toEqual([1, [333]]);
    await pool.clock.advance(50);
    expect(pool.clock.timers).toBe(0);
  });

  it.each(WAYS)('because of its %s gives back what a minority of nodes granted it', async (how) => {
    hold(pool.memory.slice(1));
    await pool.clock.until(giveUp(333, how));
    expect([waiting(), pool.owners('a')]).toEqual([NOBODY, [undefined, HOLDER, HOLDER]]);
  });

  it.each<[string, Fault]>([
    ['whose answers were lost', 'lost reply'],
    ['whose answers come late', { slow: 700 }],
    ['that it reaches late', { late: 700 }],
  ])('leaves nothing on nodes %s', async (_case, fault) => {
    for (const node of rival.nodes) node.faults = { acquire: fault };
    await pool.clock.until(giveUp(333));
    await pool.clock.advance(2_000);
    expect([waiting(), pool.owners('a')]).toEqual([NOBODY, FREE]);
  });

  it('stops asking', async () => {
    hold();
    await pool.clock.until(giveUp(333, 'signal', { retryDelay: 100 }));
    await pool.clock.advance(5_000);
    expect(rival.times('acquire')).toEqual([0, 100, 200, 300]);
  });

  it('does not hold up the waiters behind it', async () => {
    hold();
    const next = new Rival(pool, 'next');
    const givenUp = giveUp(333);
    await pool.clock.advance(10);
    const waits = next.contend();
    pool.clock.schedule(400, () => releaseFor(pool.memory, HOLDER));
    const won = await pool.clock.until(waits);
    expect([won.claim.value, now()]).toEqual(['next', 410]);
    await givenUp;
  });

  it.each([0, 20, 40])('takes no key that it is granted meanwhile and told of %i ms later', async (slow) => {
    hold();
    for (const node of rival.nodes) node.faults = { grant: { slow } };
    pool.clock.schedule(333, () => releaseFor(pool.memory, HOLDER));
    expect(await pool.clock.until(giveUp(333))).toBe(reason);
    await pool.clock.advance(1_000);
    expect([waiting(), pool.owners('a')]).toEqual([NOBODY, FREE]);
  });

  it('leaves to the next waiter a grant that comes between its giving up and the arrival of its release', async () => {
    hold();
    const next = new Rival(pool, 'next');
    for (const node of rival.nodes) node.faults = { release: { late: 50 } };
    const givenUp = giveUp(300);
    await pool.clock.advance(10);
    const waits = next.contend();
    pool.clock.schedule(310, () => releaseFor(pool.memory, HOLDER));
    const won = await pool.clock.until(waits);
    expect([won.claim.value, now()]).toEqual(['next', 350]);
    await pool.clock.advance(1);
    expect(pool.owners('a')).toEqual(Array(3).fill('next'));
    expect(await givenUp).toBe(reason);
  });

  it('after its first round has won, gives the lock back', async () => {
    for (const node of rival.nodes) node.faults = { acquire: { slow: 20 } };
    expect(await pool.clock.until(giveUp(10))).toBe(reason);
    expect([now(), pool.owners('a'), rival.gaveUp]).toEqual([20, FREE, 1]);
  });

  it.each([
    ['just before a quorum grants it', 0],
    ['just after a quorum has granted it, before it has taken that for a win', 2],
  ])('%s leaves nothing locked', async (_case, microtasks) => {
    hold();
    const abort = (turns: number): void =>
      turns === 0 ? rival.caller.abort(reason) : queueMicrotask(() => abort(turns - 1));
    pool.clock.schedule(333, () => {
      releaseFor(pool.memory, HOLDER);
      abort(microtasks);
    });
    await expect(pool.clock.until(rival.contend())).rejects.toBe(reason);
    expect([waiting(), pool.owners('a'), rival.gaveUp]).toEqual([NOBODY, FREE, 1]);
  });
});
