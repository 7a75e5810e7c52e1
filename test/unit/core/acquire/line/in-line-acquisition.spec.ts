import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryPool } from '../../../../support/memory-pool.js';
import { releaseFor, Rival } from '../../../../support/rival.js';

const HOLDER = 'holder';
/** Ms that are left of a grant at its beginning: the whole ttl without the drift. */
const WHOLE = 5_000 - 52;

describe('InLineAcquisition', () => {
  let pool: MemoryPool;
  let rival: Rival;
  const now = () => pool.clock.now().monotonic;
  const hold = (ttl = 60_000) => pool.memory.forEach((node) => node.set('a', HOLDER, ttl));
  /** The holder gives it back, `ms` from now, on these nodes. */
  const freeIn = (ms: number, memory = pool.memory) => pool.clock.schedule(ms, () => releaseFor(memory, HOLDER));
  const waiting = () => pool.memory.map((node) => node.waiting('a'));

  beforeEach(() => {
    pool = new MemoryPool(3);
    rival = new Rival(pool, 'ours');
  });

  it('takes what is free in its first round', async () => {
    const won = await pool.clock.until(rival.contend({ ttl: 1_000 }));
    expect(won).toMatchObject({ kind: 'won', attempts: 1 });
    expect([won.claim.value, won.validity.remaining(pool.clock)]).toEqual(['ours', 988]);
    expect(pool.owners('a')).toEqual(Array(3).fill('ours'));
    expect([rival.lost, rival.gaveUp, pool.clock.timers]).toEqual([[], 0, 0]);
  });

  it('stands in the line of every node while the resource is held, and says so', async () => {
    hold();
    void rival.contend();
    await pool.clock.advance(1_000);
    expect(waiting()).toEqual(Array(3).fill(['ours']));
    expect(rival.lost).toEqual([expect.objectContaining({ kind: 'contended' })]);
  });

  it('gets what is released by the grants of the nodes, at once and without asking again', async () => {
    hold();
    freeIn(333);
    const won = await pool.clock.until(rival.contend());
    expect(now()).toBe(333);
    expect(won.attempts).toBe(1);
    expect(won.validity.remaining(pool.clock)).toBe(WHOLE);
    expect(rival.times('acquire')).toEqual([0]);
    expect(pool.owners('a')).toEqual(Array(3).fill('ours'));
    expect([waiting(), pool.clock.timers]).toEqual([[[], [], []], 0]);
  });

  it('gives a sign of life before nodes forget its line, however rarely it is set to ask', async () => {
    hold(1_000_000);
    void rival.contend({ retryDelay: 1_000_000 });
    await pool.clock.advance(70_000);
    expect(rival.times('acquire')).toEqual([0, 30_000, 60_000]);
  });

  it('needs the grants of a quorum only', async () => {
    hold();
    rival.nodes[1]!.faults = { grant: 'silent' };
    freeIn(333);
    await pool.clock.until(rival.contend());
    expect(now()).toBe(333);
  });

  it('holds what it is granted for no longer than its own ttl', async () => {
    hold();
    freeIn(333);
    const won = await pool.clock.until(rival.contend({ ttl: 100 }));
    expect(won.validity.remaining(pool.clock)).toBe(97);
    expect(now()).toBe(333);
  });

  it('finds by its next poll what it was granted, where no node could tell it', async () => {
    hold();
    for (const node of rival.nodes) node.faults = { grant: 'silent' };
    freeIn(333);
    const won = await pool.clock.until(rival.contend({ retryDelay: 400 }));
    expect(now()).toBe(400);
    expect(won.attempts).toBe(2);
    expect(won.validity.remaining(pool.clock)).toBe(WHOLE);
    expect(pool.owners('a')).toEqual(Array(3).fill('ours'));
  });

  it('finds by its next poll what a foreign client gave back, since such a client grants nothing', async () => {
    hold(333);
    const won = await pool.clock.until(rival.contend({ retryDelay: 400 }));
    expect([now(), won.attempts]).toEqual([400, 2]);
  });

  it('asks soon where only a minority granted it, instead of at its next poll', async () => {
    hold();
    freeIn(333, pool.memory.slice(0, 1));
    void rival.contend();
    await pool.clock.advance(5_000);
    expect(rival.times('acquire')).toEqual([0, 333 + 50]);
    expect(pool.owners('a')).toEqual(['ours', HOLDER, HOLDER]);
  });

  it('wins soon where the grants of all but a minority were lost', async () => {
    hold();
    for (const node of rival.nodes.slice(1)) node.faults = { grant: 'silent' };
    freeIn(333);
    const won = await pool.clock.until(rival.contend());
    expect([now(), won.attempts]).toEqual([333 + 50, 2]);
    expect(won.validity.remaining(pool.clock)).toBe(WHOLE);
  });

  it('adds the grants of a few nodes to those that come a little later', async () => {
    hold();
    freeIn(300, pool.memory.slice(0, 1));
    freeIn(330, pool.memory.slice(1, 2));
    const won = await pool.clock.until(rival.contend());
    expect([now(), rival.times('acquire')]).toEqual([330, [0]]);
    expect(won.validity.remaining(pool.clock)).toBe(WHOLE - 30);
  });

  it('adds a grant to the vote that it has of its first round', async () => {
    for (const node of pool.memory.slice(1)) node.set('a', HOLDER, 60_000);
    freeIn(333, pool.memory.slice(2));
    const won = await pool.clock.until(rival.contend());
    // A ms for the counters, which differ: the third vote might have settled it.
    expect([now(), rival.times('acquire')]).toEqual([333 + 1, [0]]);
    expect(won.validity.remaining(pool.clock)).toBe(WHOLE - 334);
    expect(pool.owners('a')).toEqual(['ours', HOLDER, 'ours']);
  });

  it('counts what is granted while its question is under way', async () => {
    hold();
    for (const node of rival.nodes) node.faults = { acquire: { slow: 20 } };
    freeIn(10);
    const won = await pool.clock.until(rival.contend());
    expect([now(), rival.times('acquire')]).toEqual([20, [0]]);
    expect(won.validity.remaining(pool.clock)).toBe(WHOLE - 10);
  });

  it.each([
    [70, [0], 1, 988 - 70],
    [90, [0, 333 + 90], 2, 988],
  ])(
    'asks for a whole lease where it learns of a grant too late: after %i ms of 1,000',
    async (slow, asked, attempts, left) => {
      hold();
      for (const node of rival.nodes) node.faults = { grant: { slow } };
      freeIn(333);
      const won = await pool.clock.until(rival.contend({ ttl: 1_000 }));
      expect([rival.times('acquire'), won.attempts]).toEqual([asked, attempts]);
      expect(won.validity.remaining(pool.clock)).toBe(left);
    },
  );

  it('does not take for its own what it was granted for a ttl that is over', async () => {
    hold();
    for (const node of rival.nodes) node.faults = { grant: { slow: 600 } };
    freeIn(333);
    pool.clock.schedule(333 + 550, () => pool.memory.forEach((node) => node.set('a', 'next', 60_000)));
    const outcome = rival.contend({ ttl: 500, waitTimeout: 5_000 }).catch((error: unknown) => error);
    await expect(pool.clock.until(outcome)).resolves.toMatchObject({ code: 'RESOURCE_LOCKED' });
    expect(pool.owners('a')).toEqual(Array(3).fill('next'));
  });

  it('does not take for its own what was granted before the machine was suspended', async () => {
    hold();
    freeIn(300, pool.memory.slice(0, 1));
    const outcome = rival.contend({ waitTimeout: 5_000 }).catch((error: unknown) => error);
    await pool.clock.advance(310);
    pool.clock.suspend(2_000);
    for (const node of pool.memory) node.set('a', 'next', 60_000);
    await pool.clock.advance(10_000);
    await expect(outcome).resolves.toMatchObject({ code: 'RESOURCE_LOCKED' });
  });

  it('does not win by votes that the nodes granted too late, and keeps none of them', async () => {
    rival = new Rival(pool, 'ours', { nodeTimeout: 50 });
    for (const node of rival.nodes) node.faults = { acquire: { slow: 45 } };
    const outcome = rival.contend({ ttl: 40, driftFactor: 0, retryCount: 1, retryDelay: 10 });
    await expect(pool.clock.until(outcome)).rejects.toThrow('the answers took longer than the lease lasts');
    expect(rival.lost.map(({ kind }) => kind)).toEqual(['too slow', 'too slow']);
    expect(pool.owners('a')).toEqual([undefined, undefined, undefined]);
  });
});
