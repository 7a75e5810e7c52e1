import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { machineTime } from '../../support/child-program.js';
import { faultsOf } from '../../support/leader/journal.js';
import { leaderCrew, stretchesOf } from '../../support/leader/leader-crew.js';

/** Ms. */
const TTL = 1_500;
const DEAD = [0, 2, 4];

describe('a role while three of five nodes are dead', () => {
  const crew = leaderCrew(5);
  const { journal, servers } = crew;

  it('has no leader after the ttl, and one within two seconds after they are back', async () => {
    const [role, members] = [crew.role(), await crew.start(3)];
    await Promise.all(members.map((member) => member.lead(role, { ttl: TTL })));
    const elected = await journal.nth(0, role, 'elected');
    await Promise.all(DEAD.map((index) => servers[index]!.kill()));
    const dead = machineTime();
    const ended = await journal.nth(0, role, 'ended');
    expect(ended).toMatchObject({ term: elected.term, reason: 'lost' });
    expect(ended.at - dead).toBeLessThan(TTL + 200);
    await setTimeout(TTL / 2); // the span in which nobody may lead
    expect(await Promise.all(members.map((member) => member.leads(role)))).toEqual([false, false, false]);
    const [stretch, ...more] = await stretchesOf(members, role);
    expect(more).toEqual([]);
    expect(stretch!.to).toBeLessThan(dead + TTL);
    await Promise.all(DEAD.map((index) => servers[index]!.restart()));
    const back = machineTime();
    const next = await journal.nth(1, role, 'elected');
    console.log(`elected ${Math.round(next.at - back)} ms after the nodes were back`);
    expect(next.at - back).toBeLessThan(2_000);
    expect(next.term).toBeGreaterThan(elected.term);
    // The process whose term was lost is still a candidate.
    const loser = crew.memberOf(elected);
    await Promise.all(members.filter((member) => member !== loser).map((member) => member.close(role)));
    await journal.until(() =>
      journal.of(role, 'elected').find(({ by, term }) => by === elected.by && term > elected.term),
    );
    expect(faultsOf(await stretchesOf(members, role))).toEqual([]);
  });
});
