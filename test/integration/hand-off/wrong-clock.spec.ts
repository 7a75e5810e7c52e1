import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { ShimmedClock } from '../../support/clock-shim.js';
import { crewOnNodes } from '../../support/lock-process/crew-on-nodes.js';
import type { LockProcess } from '../../support/lock-process/lock-process.js';
import type { Turn } from '../../support/lock-process/turn.js';
import { nothingLeft, standing } from '../../support/node-lines.js';
import { describeWithClocks } from '../../support/with-clocks.js';

const ROUNDS = 10;
/** Ms by which one comes earlier than the other. */
const EARLIER = 300;
/** Each is told by hand-off only. */
const IN_LINE = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };

describeWithClocks('a process whose wall clock is wrong', () => {
  const { crew, pool } = crewOnNodes(3);
  let clock: ShimmedClock;
  let holder: Redlock;
  let right: LockProcess;
  beforeAll(async () => {
    clock = await ShimmedClock.make(0);
    holder = (await pool.client()).redlock;
  });
  afterAll(() => clock.remove());

  const start = async (): Promise<LockProcess> => {
    [right] = (await crew.start(1, pool.urls)) as [LockProcess];
    const [wrong] = (await crew.start(1, pool.urls, { env: clock.env })) as [LockProcess];
    return wrong;
  };

  /** Two that wait for what is held, the second one later than the first; their names when they are served. */
  const round = async (first: LockProcess, second: LockProcess): Promise<LockProcess[]> => {
    const resource = pool.resource();
    const lock = await holder.acquire(resource, { ttl: 60_000 });
    const turns: Turn[] = [];
    for (const member of [first, second]) {
      turns.push(member.take({ resource, options: IN_LINE, hold: 1 }));
      await Promise.all([standing(pool, turns.length, resource), sleep(EARLIER)]);
    }
    await lock.release();
    const holds = await Promise.all(turns.map(({ hold }) => hold));
    await nothingLeft(pool, resource);
    return holds[0]!.from < holds[1]!.from ? [first, second] : [second, first];
  };

  // A node by itself takes no time of arrival that is more than 500 ms off.
  describe.each([450, 900])('by %i ms', (off) => {
    it.each([
      ['behind does not overtake one that came 300 ms earlier', -off, (wrong: LockProcess) => [right, wrong]],
      ['ahead is not overtaken by one that came 300 ms later', off, (wrong: LockProcess) => [wrong, right]],
    ] as const)('%s', async (_, by, inOrder) => {
      await clock.set(by);
      const [first, second] = inOrder(await start()) as [LockProcess, LockProcess];
      const rounds = await Promise.all(Array.from({ length: ROUNDS }, () => round(first, second)));
      const served = rounds.map((members) => members.map(({ name }) => name).join());
      expect(served).toEqual(Array(ROUNDS).fill([first.name, second.name].join()));
    });
  });

  it('that was set back by 900 ms in use does not overtake others either, once it has heard from the nodes again', async () => {
    await clock.set(0);
    const wrong = await start();
    await round(right, wrong);
    await clock.set(-900);
    expect((await round(right, wrong)).map(({ name }) => name)).toEqual([right.name, wrong.name]);
  });
});
