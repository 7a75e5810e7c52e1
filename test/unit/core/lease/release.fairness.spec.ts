import { beforeEach, describe, expect, it } from '@jest/globals';
import { TOKENS_PER_GRANT, TOKENS_PER_VOTE } from '../../../../lib/core/port/fencing.js';
import { PASSING_WINDOW } from '../../../../lib/core/acquire/callers/cohort.js';
import { IN_LINE, PassingWorld, PATIENT } from '../../../support/passing-world.js';

describe('a lock that passes between the callers of its process', () => {
  let world: PassingWorld;
  beforeEach(() => void (world = new PassingWorld()));

  it.each([
    [PASSING_WINDOW, false],
    [PASSING_WINDOW + 1, true],
  ])(
    'passes to callers that came a moment after its first holder, and not to later ones: %i ms',
    async (ms, byNodes) => {
      const first = await world.take();
      await world.pass(ms - 1);
      const second = world.next();
      await world.pass(1);
      const third = world.next();
      await world.free(first);
      expect(await world.goesByNodes(await world.pool.clock.until(second), third)).toBe(byNodes);
    },
  );

  it.each([
    [100, 5, false],
    [100, 6, true],
  ])('leaves the next holder nearly all of its ttl: ttl of %i ms, released after %i ms', async (ttl, ms, byNodes) => {
    const first = await world.take({ ...PATIENT, ttl });
    const waiting = world.next({ ...PATIENT, ttl });
    await world.pass(ms);
    expect(await world.goesByNodes(first, waiting)).toBe(byNodes);
  });

  it('does not pass to a caller that came later than a caller of another process', async () => {
    const first = await world.take(IN_LINE);
    const theirs = world.pool.client().redlock.acquire('a', IN_LINE);
    await world.pass(PASSING_WINDOW + 1);
    const ours = world.next(IN_LINE);
    await world.free(first);
    const second = await world.pool.clock.until(theirs);
    await world.free(second);
    expect((await world.pool.clock.until(ours)).fencingToken).toBe(second.fencingToken + TOKENS_PER_GRANT);
  });

  it('skips callers that have given up', async () => {
    const first = await world.take();
    const abort = new AbortController();
    const [gone, waiting] = [world.next({ ...PATIENT, signal: abort.signal }), world.next()];
    gone.catch(() => undefined);
    abort.abort(new Error('no more'));
    expect(await world.goesByNodes(first, waiting)).toBe(false);
    await expect(gone).rejects.toThrow('no more');
  });

  it('delays callers of other processes that came meanwhile by a moment, and no more', async () => {
    const first = await world.take(IN_LINE);
    let last = first;
    const theirs = { at: Infinity };
    void world.pool
      .client()
      .redlock.acquire('a', IN_LINE)
      .then((lock) => {
        theirs.at = world.pool.clock.now().monotonic;
        return lock.release();
      });
    for (let turn = 0; turn < TOKENS_PER_VOTE && theirs.at === Infinity; turn += 1) {
      const waiting = world.next(IN_LINE);
      await world.pass(2);
      await world.free(last);
      last = await world.pool.clock.until(waiting);
    }
    // The last caller that came in time, and the time for which it held the lock.
    expect(theirs.at).toBeLessThanOrEqual(PASSING_WINDOW + 2 * 2);
  });

  it.each([
    ['keeps its place', PASSING_WINDOW, ['theirs', 'ours', 'again', 'third'], 0],
    ['keeps its place', PASSING_WINDOW, ['ours', 'theirs', 'again', 'third'], 1],
    ['comes behind others', PASSING_WINDOW + 1, ['theirs', 'ours', 'third', 'again'], 1],
  ])('a caller %s if it asks %i ms after its process has given the lock back: %j', async (_, ms, order, asked) => {
    const first = await world.take(IN_LINE);
    const served: string[] = [];
    const come = async (name: string): Promise<void> => {
      const { redlock } = name === 'ours' || name === 'again' ? world : world.pool.client();
      const lock = await redlock.acquire('a', IN_LINE);
      served.push(name);
      await world.pool.clock.sleep(50);
      await lock.release();
    };
    const callers: Promise<void>[] = [];
    for (const name of order.slice(0, 2)) {
      await world.pass(10);
      callers.push(come(name));
    }
    await world.pass(10);
    await world.free(first);
    await world.pass(ms - 1);
    callers.push(come('third'));
    await world.pass(1);
    callers.push(come('again'));
    const before = world.votes;
    await world.pool.clock.until(Promise.all(callers));
    expect([served, world.votes - before]).toEqual([order, asked]);
  });

  it('does not date a caller by the time at which its process gave the lock back if the clock was set back since then', async () => {
    const first = await world.take(IN_LINE);
    await world.pass(PASSING_WINDOW + 1);
    const waiting = world.next(IN_LINE);
    await world.free(first);
    const holder = await world.pool.clock.until(waiting);
    world.pool.clock.stepWall(-100);
    const served: string[] = [];
    const come = async (name: string, { redlock }: Pick<PassingWorld, 'redlock'>): Promise<void> => {
      // With another ttl, so that the nodes are asked which caller is next.
      const lock = await redlock.acquire('a', { ...IN_LINE, ttl: 2_000 });
      served.push(name);
      await lock.release();
    };
    const callers = [come('ours', world)];
    await world.pass(10);
    callers.push(come('theirs', world.pool.client()));
    await world.pass(10);
    await world.free(holder);
    await world.pool.clock.until(Promise.all(callers));
    expect(served).toEqual(['ours', 'theirs']);
  });

  it('serves callers of several processes in the order in which they came, and asks the nodes only in between', async () => {
    const holder = await world.pool.clock.until(world.pool.client().redlock.acquire('a', IN_LINE));
    const other = world.pool.client().redlock;
    const order: string[] = [];
    const callers = [...'ooottotooo'].map(async (whose, index) => {
      await world.pool.clock.sleep(index + 1);
      const lock = await (whose === 'o' ? world.redlock : other).acquire('a', IN_LINE);
      order.push(`${whose}${index}`);
      await world.pool.clock.sleep(1);
      await lock.release();
    });
    await world.pass(20);
    const before = world.votes;
    await world.free(holder);
    await world.pool.clock.until(Promise.all(callers));
    expect(order).toEqual(['o0', 'o1', 'o2', 't3', 't4', 'o5', 't6', 'o7', 'o8', 'o9']);
    // Ours and theirs were in line already; the next caller asks the nodes if callers of another process come before
    // it.
    expect(world.votes - before).toBe(3);
  });
});
