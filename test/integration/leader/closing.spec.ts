import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { leaderCrew } from '../../support/leader/leader-crew.js';
import type { LeaderProcess } from '../../support/leader/leader-process.js';
import { leftovers, linesOf, nothingLeft } from '../../support/node-lines.js';

/** Ms. */
const TTL = 2_000;

const resourceOf = (role: string): string => `lock:leader:${role}`;

describe('a role with two candidates', () => {
  const crew = leaderCrew(5);
  const { journal, pool } = crew;

  /** The first one leads, and the second one waits in the queue of every node. */
  const leaderAndWaiter = async (role: string, [first, second]: readonly LeaderProcess[]): Promise<void> => {
    const count = journal.of(role, 'elected').length;
    await first!.lead(role, { ttl: TTL });
    expect((await journal.nth(count, role, 'elected')).by).toBe(first!.number);
    await second!.lead(role, { ttl: TTL });
    await eventually(async () => {
      expect((await linesOf(pool, resourceOf(role))).map(({ length }) => length)).toEqual([1, 1, 1, 1, 1]);
    });
  };

  it('leaves nothing of a closed candidate on the nodes, and never elects it', async () => {
    const role = crew.role();
    const [first, second] = (await crew.start(2)) as [LeaderProcess, LeaderProcess];
    await leaderAndWaiter(role, [first, second]);
    await second.close(role);
    await eventually(async () => {
      const left = await leftovers(pool, resourceOf(role));
      expect(left.filter((key) => key.includes('~'))).toEqual([]);
    }, 1_000);
    expect(await first.leads(role)).toBe(true);
    await first.close(role);
    await nothingLeft(pool, resourceOf(role));
    await setTimeout(TTL / 2); // the span in which a late election would be seen
    expect(journal.of(role, 'elected').map(({ by }) => by)).toEqual([first.number]);
    await first.lead(role, { ttl: TTL });
    expect((await journal.nth(1, role, 'elected')).by).toBe(first.number);
  });

  it('never elects a candidate that is closed while the leader resigns', async () => {
    const role = crew.role();
    const [first, second] = (await crew.start(2)) as [LeaderProcess, LeaderProcess];
    for (let round = 0; round < 10; round += 1) {
      await leaderAndWaiter(role, [first, second]);
      const [closed] = await Promise.all([second.close(role), setTimeout(round).then(() => first.close(role))]);
      const late = journal.of(role, 'elected').filter(({ by, at }) => by === second.number && at > closed);
      expect(late).toEqual([]);
      await nothingLeft(pool, resourceOf(role));
    }
  });

  it('is known to a process that is no candidate', async () => {
    const role = crew.role();
    const [first, second, reader] = (await crew.start(3)) as [LeaderProcess, LeaderProcess, LeaderProcess];
    expect(await reader.leader(role)).toBeNull();
    const before = Date.now();
    await leaderAndWaiter(role, [first, second]);
    const told = (await reader.leader(role))!;
    const { term } = journal.of(role, 'elected')[0]!;
    expect(told).toMatchObject({
      holder: `leader-test@${hostname()}#${first.pid}`,
      process: { application: 'leader-test', host: hostname(), pid: first.pid },
      term,
    });
    expect(Math.abs(Date.parse(told.since) - before)).toBeLessThan(5_000);
    await first.close(role);
    await journal.nth(1, role, 'elected');
    await eventually(async () => {
      expect((await reader.leader(role))?.process.pid).toBe(second.pid);
    }, 1_000);
    await second.close(role);
    await eventually(async () => expect(await reader.leader(role)).toBeNull(), 1_000);
  });
});
