import { describe, expect, it } from '@jest/globals';
import { faultsOf } from '../../support/leader/journal.js';
import { leaderCrew, stretchesOf } from '../../support/leader/leader-crew.js';
import type { LeaderProcess } from '../../support/leader/leader-process.js';

/** Ms. */
const TTL = 1_000;
const HOLDS = 100;
const FAILURES = 5;

describe('a leader whose work throws', () => {
  const crew = leaderCrew(5);
  const { journal } = crew;

  it('pauses for longer after each failure, and another process leads meanwhile', async () => {
    const role = crew.role();
    const [failing, steady] = (await crew.start(2)) as [LeaderProcess, LeaderProcess];
    await failing.lead(role, { ttl: TTL, work: { throws: FAILURES } });
    await journal.nth(0, role, 'elected');
    await steady.lead(role, { ttl: TTL, work: { holds: HOLDS } });
    const ends = await journal.until(() => {
      const failed = journal.of(role, 'ended').filter(({ reason }) => reason === 'failed');
      return failed.length === FAILURES ? failed : undefined;
    });
    const elected = journal.of(role, 'elected');
    const own = elected.filter(({ by }) => by === failing.number);
    expect(ends.map(({ term }) => term)).toEqual(own.map(({ term }) => term));
    const pauses = own.slice(1).map(({ at }, index) => at - ends[index]!.at);
    console.log(`pauses of ${pauses.map((pause) => Math.round(pause)).join(', ')} ms`);
    for (const [index, pause] of pauses.entries()) {
      const longest = 1_000 * 2 ** index;
      expect(pause).toBeGreaterThan(0.74 * longest);
      expect(pause).toBeLessThan(longest + HOLDS + 500);
    }
    const betweenOf = (index: number) =>
      elected.filter(({ by, at }) => by === steady.number && at > ends[index]!.at && at < own[index + 1]!.at);
    expect(pauses.map((_, index) => betweenOf(index).length > 0)).toEqual(pauses.map(() => true));
    expect(faultsOf(await stretchesOf([failing, steady], role))).toEqual([]);
  });
});
