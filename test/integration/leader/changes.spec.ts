import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { machineTime } from '../../support/child-program.js';
import { faultsOf } from '../../support/leader/journal.js';
import { leaderCrew, stretchesOf } from '../../support/leader/leader-crew.js';
import type { LeaderProcess } from '../../support/leader/leader-process.js';

/** Ms. */
const TTL = 1_200;

describe('a role with three processes', () => {
  const crew = leaderCrew(5);
  const { journal } = crew;

  const others = (members: readonly LeaderProcess[], leader: LeaderProcess): LeaderProcess[] =>
    members.filter((member) => member !== leader);

  it('has one leader within a second, and no other one while that leads', async () => {
    const [role, members] = [crew.role(), await crew.start(3)];
    const asked = await Promise.all(members.map((member) => member.lead(role, { ttl: TTL })));
    const elected = await journal.nth(0, role, 'elected');
    console.log(`elected after ${Math.round(elected.at - Math.min(...asked))} ms`);
    expect(elected.at - Math.min(...asked)).toBeLessThan(1_000);
    await setTimeout(1.5 * TTL); // the span in which another leader would be seen
    const leads = await Promise.all(members.map((member) => member.leads(role)));
    expect(leads).toEqual(members.map((member) => member === crew.memberOf(elected)));
    expect(journal.of(role, 'elected')).toEqual([elected]);
    const [stretch, ...more] = await stretchesOf(members, role);
    expect(more).toEqual([]);
    expect(stretch!.to - stretch!.from).toBeGreaterThan(1.4 * TTL);
  });

  it('has the next leader within the ttl and a second if the leader is killed', async () => {
    const [role, members] = [crew.role(), await crew.start(3)];
    await Promise.all(members.map((member) => member.lead(role, { ttl: TTL })));
    const victim = crew.memberOf(await journal.nth(0, role, 'elected'));
    const killed = await victim.kill();
    const next = await journal.nth(1, role, 'elected');
    console.log(`after SIGKILL, the next one led after ${Math.round(next.at - killed)} ms, with a ttl of ${TTL} ms`);
    expect(next.at - killed).toBeLessThan(TTL + 1_000);
    expect(others(members, victim)).toContain(crew.memberOf(next));
  });

  it('never has two valid leaders if the leader is frozen for longer than its lease', async () => {
    const [role, members] = [crew.role(), await crew.start(3)];
    await Promise.all(members.map((member) => member.lead(role, { ttl: TTL })));
    const elected = await journal.nth(0, role, 'elected');
    const frozen = crew.memberOf(elected);
    await setTimeout(TTL / 2); // by then it has extended its lease
    frozen.freeze();
    const next = await journal.nth(1, role, 'elected');
    await setTimeout(TTL / 2); // the next one leads for a while
    const thawed = machineTime();
    frozen.thaw();
    const ended = await journal.nth(0, role, 'ended');
    const stretches = await stretchesOf(members, role);
    expect(faultsOf(stretches)).toEqual([]);
    const [first, second] = [elected, next].map(({ term }) => stretches.find((stretch) => stretch.term === term));
    expect(first!.to).toBeLessThan(next.at);
    expect(second!.to).toBeGreaterThan(thawed);
    expect(ended).toMatchObject({ term: elected.term, reason: 'lost' });
    expect(await frozen.leads(role)).toBe(false);
  });

  it('refuses the fenced write of a leader that has blocked its event loop for two leases', async () => {
    const [role, members] = [crew.role(), await crew.start(3)];
    await Promise.all(members.map((member) => member.lead(role, { ttl: TTL })));
    const elected = await journal.nth(0, role, 'elected');
    const leadsAfterwards = await crew.memberOf(elected).block(role, 2 * TTL);
    const next = await journal.nth(1, role, 'elected');
    expect(next.by).not.toBe(elected.by);
    expect(journal.of(role, 'wrote').map(({ term, isRefused }) => [term, isRefused])).toEqual([
      [elected.term, false],
      [next.term, false],
      [elected.term, true],
    ]);
    expect(leadsAfterwards).toBe(false);
  });
});
