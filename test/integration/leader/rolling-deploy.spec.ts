import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { faultsOf } from '../../support/leader/journal.js';
import { leaderCrew, stretchesOf } from '../../support/leader/leader-crew.js';
import { linesOf } from '../../support/node-lines.js';

const SIZE = 5;
/** Ms. */
const CAMPAIGN = { ttl: 5_000, cleanUp: 100 };

describe(`a rolling deploy of ${SIZE} processes`, () => {
  const crew = leaderCrew(5);
  const { journal, pool } = crew;

  it(`changes the leader ${SIZE} times at most, each time as soon as the clean-up has ended`, async () => {
    const role = crew.role();
    const old = await crew.start(SIZE);
    for (const member of old) await member.lead(role, CAMPAIGN);
    await journal.nth(0, role, 'elected');
    const young = await crew.start(SIZE);
    for (const [index, member] of young.entries()) {
      await member.lead(role, CAMPAIGN);
      await eventually(async () => {
        // A node that was slow meanwhile hears of the newest candidate with its next question, which is seconds away.
        const full = (await linesOf(pool, `lock:leader:${role}`)).filter(({ length }) => length === SIZE);
        expect(full.length).toBeGreaterThanOrEqual(3);
      });
      await old[index]!.terminate();
    }
    const last = journal.of(role, 'cleaned').length;
    await journal.nth(last, role, 'elected');
    const gaps = journal.gaps(role);
    console.log(`${gaps.length} changes, gaps of ${gaps.map((gap) => gap.toFixed(1)).join(', ')} ms`);
    expect(gaps.length).toBeGreaterThan(0);
    expect(gaps.length).toBeLessThanOrEqual(SIZE);
    for (const gap of gaps) {
      expect(gap).toBeGreaterThan(0);
      expect(gap).toBeLessThan(1_000);
    }
    const ended = journal.of(role, 'ended');
    expect(ended.map(({ reason }) => reason)).toEqual(gaps.map(() => 'shutdown'));
    const [aborted, cleaned] = [journal.of(role, 'aborted'), journal.of(role, 'cleaned')];
    for (const [index, { at }] of cleaned.entries())
      expect(at - aborted[index]!.at).toBeGreaterThan(CAMPAIGN.cleanUp - 10);
    const leads = await Promise.all(young.map((member) => member.leads(role)));
    expect(leads.filter(Boolean)).toHaveLength(1);
    expect(faultsOf(await stretchesOf(young, role))).toEqual([]);
  });
});
