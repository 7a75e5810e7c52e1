import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Candidate } from '../../../lib/leader/candidate.js';
import type { LeaderWork, Term } from '../../../lib/leader/term.js';
import { TestedPool } from '../../support/tested-pool.js';
import { turn } from '../../support/turn.js';

describe.each(['manual', 'real'] as const)('the leader of a pool under test, with a %s clock,', (clock) => {
  let pool: TestedPool;
  let terms: Term[];
  let stops: number;

  beforeEach(async () => {
    pool = await TestedPool.start({ clock });
    [terms, stops] = [[], 0];
  });
  afterEach(() => pool.close());

  const lead = (work: LeaderWork = () => () => void (stops += 1)): Candidate =>
    pool.service.lead('bot', (term) => (terms.push(term), work(term)));

  it('is elected', async () => {
    const candidate = lead();
    await pool.testing.elect('bot');
    expect([candidate.isLeader, terms.length]).toEqual([true, 1]);
    expect([pool.testing.isLocked('leader:bot'), pool.testing.locked()]).toEqual([true, ['leader:bot']]);
    // There is nothing to do for it.
    await pool.testing.elect('bot');
    expect(terms).toHaveLength(1);
  });

  it('is deposed: another replica leads until the election', async () => {
    const candidate = lead();
    await pool.testing.depose('bot');
    expect([candidate.isLeader, terms[0]!.signal.aborted, await terms[0]!.ended, stops]).toEqual([
      false,
      true,
      'lost',
      1,
    ]);
    expect(pool.testing.waiting('leader:bot')).toBe(1);
    await pool.testing.until('deposed', 'bot');
    expect(await pool.service.leader('bot')).toMatchObject({
      holder: 'another@replica#1',
      process: { application: 'another', host: 'replica', pid: 1 },
      term: expect.any(Number),
    });
    const { term } = (await pool.service.leader('bot'))!;
    expect(term).toBeGreaterThan(terms[0]!.number);
    // Again, it changes nothing.
    await pool.testing.depose('bot');
    expect(terms).toHaveLength(1);
    await pool.testing.elect('bot');
    expect([candidate.isLeader, terms.length, pool.testing.waiting('leader:bot')]).toEqual([true, 2, 0]);
    expect(terms[1]!.number).toBeGreaterThan(term);
    expect(await pool.service.leader('bot')).toMatchObject({ term: terms[1]!.number });
  });

  it('is deposed until reset, which leaves it as it is otherwise', async () => {
    const candidate = lead();
    await pool.testing.depose('bot');
    await pool.testing.until('deposed', 'bot');
    pool.testing.reset();
    await pool.testing.until('elected', 'bot');
    expect([candidate.isLeader, terms.length]).toEqual([true, 2]);
    await turn();
    const leader = await pool.service.leader('bot');
    expect(leader).toMatchObject({ term: terms[1]!.number });
    pool.testing.reset();
    expect(candidate.isLeader).toBe(true);
    expect(await pool.service.leader('bot')).toMatchObject({ holder: leader!.holder, term: terms[1]!.number });
  });

  it('is another replica that held the role from the start', async () => {
    const held = pool.testing.hold('leader:bot');
    const candidate = lead();
    await pool.testing.untilWaiting('leader:bot');
    await pool.testing.until('contended', 'leader:bot');
    expect([candidate.isLeader, (await pool.service.leader('bot'))?.holder]).toEqual([false, 'another@replica#1']);
    // It leads already.
    await pool.testing.depose('bot');
    held.release();
    await pool.testing.elect('bot');
    expect([candidate.isLeader, pool.testing.count('elected', 'bot')]).toEqual([true, 1]);
    expect(() => pool.testing.hold('leader:bot')).toThrow('"leader:bot" is held already');
  });

  it('has a greater number after the term of another replica, which nobody has asked for', async () => {
    lead();
    for (let count = 0; count < 3; count += 1) {
      await pool.testing.depose('bot');
      await pool.testing.elect('bot');
    }
    const numbers = terms.map(({ number }) => number);
    expect(numbers).toHaveLength(4);
    // The clock may stand still: there is a number in between for the other replica.
    for (const [at, number] of numbers.slice(1).entries()) expect(number).toBeGreaterThan(numbers[at]! + 1);
  });

  it('is nobody once another replica has given the role up', async () => {
    const held = pool.testing.hold('leader:bot');
    expect(await pool.service.leader('bot')).not.toBeNull();
    held.release();
    expect(await pool.service.leader('bot')).toBeNull();
  });

  it('is the application again once another replica that held the role gives it up for the election', async () => {
    pool.testing.hold('leader:bot');
    const candidate = lead();
    await pool.testing.elect('bot');
    expect(candidate.isLeader).toBe(true);
    await candidate.close();
    expect([pool.testing.locked(), await pool.service.leader('bot')]).toEqual([[], null]);
  });

  it('is in events under its name, and under that of its lock', async () => {
    lead();
    await pool.testing.until('elected', 'leader:bot');
    await pool.testing.depose('bot');
    await pool.testing.until('deposed', 'bot');
    const { testing } = pool;
    const counts = (resource: string): number[] => [
      testing.count('campaigning', resource),
      testing.count('elected', resource),
      testing.count('deposed', resource),
    ];
    expect([counts('bot'), counts('leader:bot'), counts('other')]).toEqual([
      [1, 1, 1],
      [1, 1, 1],
      [0, 0, 0],
    ]);
    expect(testing.events.filter(({ type }) => type === 'deposed')).toMatchObject([{ name: 'bot', reason: 'lost' }]);
  });

  it('loses its lock like every holder', async () => {
    lead();
    await pool.testing.elect('bot');
    await pool.testing.loseLock('leader:bot');
    expect(await terms[0]!.ended).toBe('lost');
    // Nobody else is there.
    await pool.testing.until('elected', 'bot', 2);
    expect(terms).toHaveLength(2);
  });

  it('keeps no reply', async () => {
    lead();
    await pool.testing.elect('bot');
    await turn();
    expect([(await pool.service.leader('bot'))?.term, pool.testing.replies()]).toEqual([terms[0]!.number, []]);
    await pool.testing.interrupt('leader:like');
    expect(pool.testing.replies()).toEqual([]);
    await pool.testing.interrupt('order');
    expect(pool.testing.replies()).toMatchObject([{ key: 'order', state: 'running' }]);
  });

  it('is of a role for which the application is a candidate', async () => {
    const words = 'The application is no candidate for "bott"; it is one for ';
    await expect(pool.testing.elect('bott')).rejects.toThrow(`${words}nothing. Campaigns begin with app.init()`);
    const candidate = lead();
    await expect(pool.testing.depose('bott')).rejects.toThrow(`${words}"bot"`);
    await candidate.close();
    await expect(pool.testing.elect('bot')).rejects.toThrow('no candidate for "bot"; it is one for nothing');
    expect(pool.testing.waiting('leader:bot')).toBe(0);
  });
});

describe('the leader of a pool under test, as time goes by,', () => {
  let pool: TestedPool;

  beforeEach(async () => {
    pool = await TestedPool.start();
  });
  afterEach(() => pool.close());

  it('leads for as long as nothing happens, and another replica as well', async () => {
    const candidate = pool.service.lead('bot', () => undefined);
    await pool.testing.elect('bot');
    await pool.testing.advance(600_000);
    expect([candidate.isLeader, pool.testing.count('elected')]).toEqual([true, 1]);
    await pool.testing.depose('bot');
    await pool.testing.advance(600_000);
    expect([candidate.isLeader, (await pool.service.leader('bot'))?.holder]).toEqual([false, 'another@replica#1']);
    await pool.testing.elect('bot');
    expect(candidate.isLeader).toBe(true);
  });

  it('is deposed although its clean-up takes time', async () => {
    let cleanUp!: () => void;
    const cleaning = new Promise<void>((resolve) => (cleanUp = resolve));
    pool.service.lead('bot', () => () => cleaning);
    await pool.testing.depose('bot');
    expect(pool.testing.count('deposed')).toBe(0);
    const elected = pool.testing.elect('bot');
    await turn();
    expect(pool.testing.count('elected')).toBe(1);
    cleanUp();
    await elected;
    expect([pool.testing.count('deposed'), pool.testing.count('elected')]).toEqual([1, 2]);
  });

  it('is another replica only for the ttl of that one', async () => {
    pool.testing.hold('leader:bot', { ttl: 5_000 });
    const candidate = pool.service.lead('bot', () => undefined);
    await pool.testing.advance(4_999);
    expect(candidate.isLeader).toBe(false);
    await pool.testing.advance(2_502);
    expect([candidate.isLeader, pool.testing.count('elected')]).toEqual([true, 1]);
    // The other one has died, so that the application has the role to lose.
    await pool.testing.depose('bot');
    expect(candidate.isLeader).toBe(false);
  });
});
