import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { Crew } from '../../support/lock-process/crew.js';
import type { LockProcess } from '../../support/lock-process/lock-process.js';
import { overlaps, type Hold, type Turn } from '../../support/lock-process/turn.js';
import { nothingLeft, standing } from '../../support/node-lines.js';
import { RedisPool } from '../../support/redis-pool.js';
import { SeededRandom } from '../../support/seeded-random.js';

const EACH = 25;
const PROCESSES = 8;
/** Ms: nodes give up on a process that stands still for longer, as on a dead one. */
const STALLED = 300;
const OPTIONS = { ttl: 2_000, waitTimeout: 120_000 };
/** Ms: 50, and what the clocks of processes and their readings may differ on a busy machine. */
const AHEAD = 50 + 30;
const [ALIVE, FROZEN] = [[0, 1, 2, 3], 4];

/** One node is frozen all the while; processes are killed while they wait, and one while it holds. */
describe('two hundred waiters of eight processes', () => {
  const random = new SeededRandom(20);
  let crew: Crew;
  let pool: RedisPool;
  let members: LockProcess[];
  /** In the order of their arrival. */
  let turns: Turn[];
  let holds: Hold[];
  let resource: string;
  const dead = new Set<LockProcess>();

  /** In every process there are so many, and the order of arrival is not known beforehand. */
  const arrivals = (): LockProcess[] => {
    const left = members.flatMap((member) => Array.from({ length: EACH }, () => member));
    return members.flatMap(() =>
      Array.from({ length: EACH }, () => left.splice(Math.floor(random.fraction() * left.length), 1)[0]!),
    );
  };
  const arrive = async (member: LockProcess, last: boolean): Promise<Turn> => {
    const taken = member.take({ resource, options: OPTIONS, ...(!last && { hold: 1 }) });
    const asked = await taken.asked;
    // Later ones come in a later ms.
    while (Date.now() <= asked) await turn();
    return taken;
  };
  const kill = async (member: LockProcess): Promise<void> => {
    dead.add(member);
    await member.kill();
  };
  const served = (): number => members.reduce((sum, member) => sum + member.holds.length, 0);

  beforeAll(async () => {
    [crew, pool] = await Promise.all([Crew.make(), RedisPool.start(5)]);
    members = await crew.start(PROCESSES, pool.urls, { nodeTimeout: 500 });
    resource = pool.resource();
    const lock = await (await pool.client()).redlock.acquire(resource, { ttl: 60_000 });
    await pool.servers[FROZEN]!.freeze();
    turns = [];
    // The tenth of this process holds until that is killed.
    let tenth: Turn | undefined;
    for (const member of arrivals()) {
      const isTenth = member === members[5] && turns.filter((one) => one.process === member).length === 9;
      const taken = await arrive(member, isTenth);
      turns.push(taken);
      if (isTenth) tenth = taken;
    }
    await standing(pool, PROCESSES, resource, ALIVE);
    await lock.release();
    while (served() < 20) await turn();
    await kill(members[2]!);
    expect(await tenth!.outcome).toBe('acquired');
    await kill(members[5]!);
    while (served() < 100) await turn();
    await kill(members[7]!);
    await Promise.all(turns.map(({ outcome }) => outcome));
    holds = (await Promise.all(turns.map(({ hold }) => hold))).filter((hold) => hold !== undefined);
  }, 60_000);
  afterAll(async () => {
    await crew.end();
    await pool.stop();
  });

  it('all have their turn except those of dead processes', async () => {
    const survivors = turns.filter((one) => !dead.has(one.process));
    expect(survivors).toHaveLength((PROCESSES - 3) * EACH);
    expect(await Promise.all(survivors.map(({ outcome }) => outcome))).toEqual(survivors.map(() => 'acquired'));
  });

  it('have it one at a time', () => {
    expect(holds.length).toBeGreaterThan(100);
    expect(overlaps(holds)).toEqual([]);
  });

  it('have it in the order of their arrival, but that callers of one process may go up to 50 ms ahead', async () => {
    const awake = turns.filter((one) => !dead.has(one.process) && one.process.stall < STALLED).map(({ id }) => id);
    const asked = new Map(await Promise.all(turns.map(async (one) => [one.id, await one.asked] as const)));
    const order = holds
      .sort((a, b) => a.from - b.from)
      .map(({ name }) => name)
      .filter((name) => awake.includes(name));
    expect([...order].sort()).toEqual([...awake].sort());
    // Nobody goes before one that has asked so much earlier.
    const overtaken = order.flatMap((name, at) =>
      order.slice(at + 1).filter((later) => asked.get(name)! - asked.get(later)! > AHEAD),
    );
    expect(overtaken).toEqual([]);
  });

  it('leave nothing behind but what the next one clears away', async () => {
    await pool.servers[FROZEN]!.thaw();
    await eventually(async () => expect(await pool.owners(resource)).toEqual([null, null, null, null, null]));
    const { redlock } = await pool.client();
    await (await redlock.acquire(resource, { retryDelay: 60_000 })).release();
    await nothingLeft(pool, resource);
  });
});
