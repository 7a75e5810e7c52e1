import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RedlockStatus } from '../../../lib/engine/status.js';
import { QuorumWait } from '../../../lib/start-up/quorum-wait.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const DOWN = { node: 'a', up: false, votes: false, reason: 'connection refused' };
const OUT = { node: 'b', up: true, votes: false, reason: 'it may have forgotten locks', votesIn: 7_000 };
const WHY = '1 of 3 nodes vote, 2 needed; a: connection refused; b: it may have forgotten locks, votes in 7000 ms';

describe('waitForQuorum', () => {
  let clock: VirtualClock;
  let lines: string[];
  let isReachable: boolean;
  let asked: number;
  const status = async (): Promise<RedlockStatus> => {
    asked += 1;
    return { nodes: [DOWN, OUT, { node: 'c', up: true, votes: true }], quorum: 2, quorumReachable: isReachable };
  };
  const waitOf = (limit: boolean | number): QuorumWait =>
    new QuorumWait({ log: (line: string) => void lines.push(line) }, clock, status, limit);
  /** When it is over. */
  const over = (wait: QuorumWait): Promise<number> => wait.untilQuorum().then(() => clock.now().monotonic);

  beforeEach(() => {
    clock = new VirtualClock();
    lines = [];
    isReachable = false;
    asked = 0;
  });

  it.each([true, 1])('%s is no wait where enough nodes vote', async (limit) => {
    isReachable = true;
    await expect(over(waitOf(limit))).resolves.toBe(0);
    expect([lines, clock.timers]).toEqual([[], 0]);
  });

  it('false asks no node', async () => {
    await expect(over(waitOf(false))).resolves.toBe(0);
    expect(asked).toBe(0);
  });

  it('true waits for as long as it takes, and says every 30 s for what', async () => {
    const waited = over(waitOf(true));
    await clock.advance(70_000);
    const line = `The start waits until locks are possible (waitForQuorum): ${WHY}`;
    expect(lines).toEqual([line, line, line]);
    isReachable = true;
    expect(await clock.until(waited)).toBeLessThanOrEqual(70_250);
    expect(clock.timers).toBe(0);
  });

  it('of so many ms fails after them, and says for what it has waited', async () => {
    const waited = over(waitOf(10_100)).catch((error: unknown) => [(error as Error).message, clock.now().monotonic]);
    expect(await clock.until(waited)).toEqual([
      `No quorum of nodes within 10100 ms (waitForQuorum): ${WHY} [REDLOCK_E11]`,
      10_100,
    ]);
    expect(clock.timers).toBe(0);
  });

  it('of so many ms is over before them where enough nodes vote', async () => {
    const waited = over(waitOf(10_000));
    await clock.advance(5_100);
    isReachable = true;
    expect(await clock.until(waited)).toBeLessThanOrEqual(5_350);
  });

  it('ends with the application', async () => {
    const wait = waitOf(true);
    const waited = over(wait);
    await clock.advance(1_100);
    wait.stop();
    expect(await clock.until(waited)).toBe(1_100);
    expect(clock.timers).toBe(0);
  });
});
