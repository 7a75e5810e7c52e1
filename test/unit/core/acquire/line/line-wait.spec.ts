import { beforeEach, describe, expect, it } from '@jest/globals';
import { ClaimInLine } from '../../../../../lib/core/acquire/line/claim-in-line.js';
import { LineWait } from '../../../../../lib/core/acquire/line/line-wait.js';
import type { AcquireRequest } from '../../../../../lib/core/acquire/request.js';
import { Round } from '../../../../../lib/core/acquire/round.js';
import { DEFAULT_LOCK_OPTIONS } from '../../../../../lib/core/api/options.js';
import { NodePool } from '../../../../../lib/core/quorum/node-pool.js';
import { WaitBudget } from '../../../../../lib/core/quorum/outcome/wait-budget.js';
import { AbortSource } from '../../../../../lib/core/time/abort.js';
import { MemoryPool } from '../../../../support/memory-pool.js';
import { SeededRandom } from '../../../../support/seeded-random.js';

const TIMEOUT = 40;

describe('LineWait', () => {
  let memory: MemoryPool;
  let closing: AbortSource;
  let pool: NodePool;
  let request: AcquireRequest;
  let inLine: ClaimInLine;
  let wait: LineWait;

  beforeEach(() => {
    memory = new MemoryPool(3);
    closing = new AbortSource();
    pool = new NodePool(memory.nodes, { clock: memory.clock, random: new SeededRandom(), nodeTimeout: TIMEOUT });
    const budget = new WaitBudget(pool, DEFAULT_LOCK_OPTIONS, closing);
    request = {
      resources: ['a'],
      terms: DEFAULT_LOCK_OPTIONS,
      budget,
      start: memory.clock.now(),
      report: () => undefined,
    };
    inLine = new ClaimInLine(pool, request, { granted: () => undefined, doubted: () => undefined, tokens: 1 });
    wait = new LineWait(pool, request, inLine);
  });

  const now = (): number => memory.clock.now().monotonic;
  const grant = (...nodeIndexes: number[]): void => {
    for (const nodeIndex of nodeIndexes) wait.granted(nodeIndex, { since: memory.clock.now(), fence: 7 });
  };
  /** Waits up to a second; returns the ms until the wait has ended. */
  const waited = async (): Promise<number> => {
    const start = now();
    await memory.clock.until(wait.forVotes(1_000));
    return now() - start;
  };

  it('lasts until it is time to ask again', async () => {
    expect(await waited()).toBe(1_000);
  });

  it('ends with the vote that makes a quorum', async () => {
    memory.clock.schedule(10, () => grant(0));
    memory.clock.schedule(20, () => grant(2));
    expect(await waited()).toBe(20);
    expect(await wait.lockOr({ kind: 'unavailable', nodes: [] })).toMatchObject({ kind: 'won' });
  });

  it('ends after the node timeout where only some of the grants come', async () => {
    memory.clock.schedule(10, () => grant(0));
    expect(await waited()).toBe(10 + TIMEOUT);
    expect(wait.lockFromVotes({ kind: 'unavailable', nodes: [] })).toBeUndefined();
  });

  it('ends with the abort of its caller', async () => {
    memory.clock.schedule(10, () => closing.stop(new Error('closed')));
    await expect(memory.clock.until(wait.forVotes(1_000))).rejects.toThrow('closed');
  });

  it('leaves no timer once it is over', () => {
    grant(0);
    expect(memory.clock.timers).toBe(1);
    wait.stopGrantTimer();
    expect(memory.clock.timers).toBe(0);
  });

  describe('after a round that is lost', () => {
    let round: Round;
    const yielded = (): number => memory.nodes[2]!.callsOf('yield').length;

    beforeEach(async () => {
      for (const node of memory.memory.slice(0, 2)) node.set('a', 'other', 60_000);
      memory.nodes[2]!.faults = { acquire: { slow: 10 } };
      const late = (nodeIndex: number, answer: Parameters<LineWait['answered']>[1]): void =>
        wait.answeredLate(nodeIndex, answer, round.validity);
      round = Round.ask(pool, request, { claim: inLine.claim, now: memory.clock.now(), isFirst: true, late });
      await memory.clock.until(new Promise((resolve) => round.whenDecided(resolve)));
    });

    it('gives away a vote that comes late', async () => {
      expect(await wait.decided(round)).toMatchObject({ kind: 'contended' });
      await memory.clock.advance(10);
      expect(yielded()).toBe(1);
    });

    it('keeps the vote for the next round, once that has begun', async () => {
      expect(await wait.decided(round)).toMatchObject({ kind: 'contended' });
      wait.aboutToAsk(inLine);
      await memory.clock.advance(10);
      expect([yielded(), inLine.votes.has(2)]).toEqual([0, true]);
    });
  });
});
