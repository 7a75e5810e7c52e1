import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryPool } from '../../../../support/memory-pool.js';
import { keepVote, releaseFor, Rival } from '../../../../support/rival.js';

const HOLDER = 'holder';

describe('InLineAcquisition, among rivals', () => {
  let pool: MemoryPool;
  const now = () => pool.clock.now().monotonic;
  const waiting = () => pool.memory.map((node) => node.waiting('a'));
  /** Rivals that come in this order, one ms apart. */
  const arrive = async (...rivals: Rival[]) => {
    const outcomes = [];
    for (const rival of rivals) {
      outcomes.push(rival.contend());
      await pool.clock.advance(1);
    }
    return outcomes;
  };

  beforeEach(() => {
    pool = new MemoryPool(3);
  });

  it('gets its turn by the time of its arrival, at the very moment of each release', async () => {
    for (const node of pool.memory) node.set('a', HOLDER, 60_000);
    const rivals = ['d', 'a', 'c', 'b'].map((value) => new Rival(pool, value));
    const outcomes = await arrive(...rivals);
    const order: unknown[] = [];
    let owner = HOLDER;
    for (const outcome of outcomes) {
      releaseFor(pool.memory, owner);
      const before = now();
      const won = await pool.clock.until(outcome);
      owner = won.claim.value;
      order.push([owner, now() - before]);
      await pool.clock.advance(100);
    }
    expect(order).toEqual(['d', 'a', 'c', 'b'].map((value) => [value, 0]));
    for (const rival of rivals) expect(rival.times('acquire')).toHaveLength(1);
  });

  it('gets its turn although an older rival has no place on a node: the node that the older one does not reach is no obstacle', async () => {
    for (const node of pool.memory) node.set('a', HOLDER, 60_000);
    const [older, younger] = [new Rival(pool, 'older'), new Rival(pool, 'younger')];
    older.nodes[0]!.fail('down');
    const [first, second] = await arrive(older, younger);
    releaseFor(pool.memory, HOLDER);
    expect((await pool.clock.until(first!)).claim.value).toBe('older');
    releaseFor(pool.memory, 'older');
    expect((await pool.clock.until(second!)).claim.value).toBe('younger');
    expect(now()).toBeLessThan(60_000);
  });

  it('leaves its votes to an older rival when they are split, which gets the resource by them', async () => {
    pool.memory[2]!.set('a', 'foreign');
    const [older, younger] = [new Rival(pool, 'older'), new Rival(pool, 'younger')];
    older.nodes[1]!.faults = { acquire: { late: 1.5 } };
    younger.nodes[2]!.faults = { acquire: { slow: 5 } };
    const [first, second] = await arrive(older, younger);
    const won = await pool.clock.until(first!);
    expect(won.claim.value).toBe('older');
    expect(now()).toBeLessThan(50);
    expect(pool.owners('a')).toEqual(['older', 'older', 'foreign']);
    expect(waiting().slice(0, 2)).toEqual([['younger'], ['younger']]);
    expect(younger.times('yield', 1)).toHaveLength(1);
    releaseFor(pool.memory, 'older');
    expect((await pool.clock.until(second!)).claim.value).toBe('younger');
    expect(now()).toBeLessThan(50);
  });

  it('keeps its votes where it is the oldest', async () => {
    pool.memory[2]!.set('a', 'foreign');
    const [older, younger] = [new Rival(pool, 'older'), new Rival(pool, 'younger')];
    younger.nodes[0]!.faults = { acquire: { late: 10 } };
    older.nodes[1]!.faults = { acquire: { late: 10 } };
    void (await arrive(older, younger));
    await pool.clock.advance(50);
    expect(older.times('yield')).toHaveLength(1);
    expect(pool.owners('a')[0]).toBe('older');
  });

  it('yields also where it does not know whether it was granted', async () => {
    pool = new MemoryPool(4);
    for (const node of pool.memory.slice(2)) node.set('a', 'foreign');
    const [older, younger] = [new Rival(pool, 'older'), new Rival(pool, 'younger')];
    older.nodes[1]!.faults = { acquire: { late: 1.5 } };
    younger.nodes[1]!.faults = { acquire: 'lost reply' };
    for (const node of younger.nodes.slice(2)) node.faults = { acquire: { slow: 5 } };
    void (await arrive(older, younger));
    await pool.clock.advance(200);
    expect(pool.owners('a')).toEqual(['older', 'older', 'foreign', 'foreign']);
  });

  it('gives away at once what a node gives late, when the round is lost', async () => {
    for (const node of pool.memory.slice(0, 2)) node.set('a', 'foreign');
    const [older, younger] = [new Rival(pool, 'older'), new Rival(pool, 'younger')];
    older.nodes[2]!.faults = { acquire: { late: 1.5 } };
    younger.nodes[2]!.faults = { acquire: { slow: 5 } };
    void (await arrive(older, younger));
    await pool.clock.advance(3);
    expect([younger.times('yield', 2), pool.owners('a')[2]]).toEqual([[], 'younger']);
    await pool.clock.advance(2);
    expect([younger.times('yield', 2), pool.owners('a')[2]]).toEqual([[6], 'older']);
  });

  it('keeps what a node gives late in reply to the round before, until the next one is lost too', async () => {
    for (const node of pool.memory.slice(0, 2)) node.set('a', 'foreign');
    const rival = new Rival(pool, 'ours');
    rival.nodes[2]!.faults = { acquire: { slow: 105 } };
    const yields: number[] = [];
    void rival.contend({ retryDelay: 100 });
    await pool.clock.advance(51);
    // Silent for too long, which may mean that it was given.
    yields.push(rival.times('yield', 2).length);
    for (const node of rival.nodes.slice(0, 2)) node.faults = { acquire: { slow: 40 } };
    await pool.clock.advance(60);
    yields.push(rival.times('yield', 2).length);
    expect([rival.times('acquire'), yields]).toEqual([
      [0, 100],
      [1, 1],
    ]);
  });

  it('asks for nothing but a place when another claim holds the resource on all nodes, however late some nodes say so', async () => {
    for (const node of pool.memory) node.set('a', HOLDER, 60_000);
    const rival = new Rival(pool, 'ours');
    rival.nodes[2]!.faults = { acquire: { slow: 5 } };
    void rival.contend();
    await pool.clock.advance(100);
    expect(rival.nodes.map(({ calls }) => calls.map(({ verb }) => verb))).toEqual(Array(3).fill(['acquire']));
  });

  it('does not yield what a node has refused it', async () => {
    for (const node of pool.memory) node.set('a', HOLDER, 60_000);
    const rival = new Rival(pool, 'ours');
    void (await arrive(rival));
    await pool.clock.advance(500);
    expect([0, 1].map((node) => rival.times('yield', node))).toEqual([[], []]);
  });

  it('does not count a vote while it may be given away', async () => {
    for (const node of pool.memory.slice(1)) node.set('a', HOLDER, 60_000);
    const rival = new Rival(pool, 'ours');
    rival.nodes[0]!.faults = { yield: { slow: 100 } };
    const outcome = rival.contend();
    pool.clock.schedule(30, () => releaseFor(pool.memory.slice(1, 2), HOLDER));
    await pool.clock.until(outcome);
    // The grant of the second node comes at 30, and asking again at 80 still finds the first vote open.
    expect(now()).toBe(80);
    expect(rival.times('acquire')).toEqual([0, 80]);
  });

  it('insists for longer than the grace on votes that are split among the living, and not always after that', async () => {
    ['x', 'y'].forEach((value, index) => keepVote(pool, index + 1, value));
    const rival = new Rival(pool, 'ours', { fraction: 0.4 });
    const outcome = rival.contend({ retryDelay: 100, waitTimeout: 950 }).catch(() => undefined);
    await pool.clock.advance(699);
    expect(rival.times('release')).toEqual([]);
    await pool.clock.until(outcome);
    expect(rival.times('acquire').slice(0, 10)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
    expect(rival.times('release')).toEqual([700, 800, 900, 950]);
  });

  it('leaves the votes that it does not insist on to the rival that asks next', async () => {
    ['x', 'y'].forEach((value, index) => keepVote(pool, index + 1, value));
    const rival = new Rival(pool, 'ours', { fraction: 0.4 });
    void rival.contend({ retryDelay: 100 });
    await pool.clock.advance(750);
    expect(pool.owners('a')).toEqual([undefined, 'x', 'y']);
    await pool.clock.advance(60);
    expect(pool.owners('a')).toEqual([undefined, 'x', 'y']);
    expect(rival.times('acquire')).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800]);
  });

  it('insists on its votes until those of the dead have ended', async () => {
    ['x', 'y'].forEach((value, index) => pool.memory[index + 1]!.set('a', value, 5_050));
    const rival = new Rival(pool, 'ours', { fraction: 0.4 });
    await pool.clock.until(rival.contend({ retryDelay: 100 }));
    expect([now(), rival.times('release')]).toEqual([5_100, []]);
  });

  it('insists on its votes for ever against a single holder', async () => {
    for (const node of pool.memory.slice(1)) node.set('a', HOLDER, 60_000);
    const rival = new Rival(pool, 'ours', { fraction: 0.4 });
    void rival.contend({ retryDelay: 100 });
    await pool.clock.advance(1_050);
    expect(rival.times('acquire')).toHaveLength(11);
    expect([rival.times('release'), pool.owners('a')[0]]).toEqual([[], 'ours']);
  });
});
