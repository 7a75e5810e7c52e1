import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SingleCall } from '../../../../../lib/core/port/single-call.js';
import type { AcquireAnswer } from '../../../../../lib/core/port/lock-node.js';
import { MemoryPool } from '../../../../support/memory-pool.js';
import { keepVote, releaseFor, Rival } from '../../../../support/rival.js';
import type { ScriptedNode } from '../../../../support/scripted-node.js';
import { WaiterStub } from '../../../../support/waiter-stub.js';

describe('InLineAcquisition, with a vote that may be given away at any time', () => {
  let pool: MemoryPool;
  let rival: Rival;
  const lineUpOlder = (nodeIndex: number): void => {
    const older = new WaiterStub('a', { arrived: 1, ttl: 60_000, value: 'older' });
    pool.memory[nodeIndex]!.acquire(new SingleCall<AcquireAnswer>(older.claim, 500), 0);
  };

  beforeEach(() => {
    pool = new MemoryPool(3);
    ['x', 'y'].forEach((value, index) => keepVote(pool, index + 1, value));
    rival = new Rival(pool, 'ours', { fraction: 0.4 });
  });

  it.each<['yield' | 'release', number]>([
    ['yield', 50],
    ['release', 750],
  ])('never counts a vote that a late %s may still give away, and asks in a new name', async (verb, later) => {
    rival.nodes[0]!.faults = { [verb]: { zombie: 400 } };
    const outcome = rival.contend({ retryDelay: 100 });
    await pool.clock.advance(later);
    lineUpOlder(0);
    releaseFor(pool.memory.slice(1, 2), 'x');
    await pool.clock.advance(100);
    releaseFor(pool.memory, 'older');
    const { claim } = await pool.clock.until(outcome);
    await pool.clock.advance(270);
    expect([claim.value, pool.owners('a')]).toEqual(['ours/2', ['ours/2', 'ours/2', 'y']]);
  });

  it('does not count that the node gives it the resource in the old name', async () => {
    rival.nodes[0]!.faults = { yield: { zombie: 100 } };
    const outcome = rival.contend();
    await pool.clock.advance(50);
    lineUpOlder(0);
    await pool.clock.advance(100);
    expect(pool.owners('a')).toEqual(['older', 'x', 'y']);
    releaseFor(pool.memory, 'older');
    releaseFor(pool.memory, 'x');
    expect(pool.owners('a')).toEqual(['ours', 'ours', 'y']);
    expect((await pool.clock.until(outcome)).claim.value).toBe('ours/2');
  });

  it('does not count a vote that came before, once it is being given back', async () => {
    const asked = jest.spyOn(rival.nodes[0]!, 'acquire');
    let isWon = false;
    void rival.contend().then(() => (isWon = true));
    await pool.clock.advance(10);
    expect(pool.owners('a')).toEqual(['ours', 'x', 'y']);
    asked.mock.calls[0]![0].claim.doubt(0);
    asked.mock.calls[0]![0].claim.resolveDoubt(0);
    releaseFor(pool.memory, 'x');
    await pool.clock.advance(10);
    expect([pool.owners('a'), isWon]).toEqual([['ours', 'ours', 'y'], false]);
  });

  describe('once it has a new name', () => {
    let isWon: boolean;
    /** What a second vote is followed by, where its counter differs. */
    const raises = (): number => rival.nodes.flatMap((node) => node.callsOf('raise')).length;
    const newName = async (nodeIndex?: number, faults: ScriptedNode['faults'] = {}): Promise<void> => {
      rival = new Rival(pool, 'ours', { fraction: 0.6 });
      rival.nodes[0]!.faults = { yield: { zombie: 10_000 } };
      if (nodeIndex !== undefined) rival.nodes[nodeIndex]!.faults = faults;
      isWon = false;
      void rival.contend({ retryDelay: 100 }).then(() => (isWon = true));
      await pool.clock.advance(10);
    };

    it('counts no answer that comes late to the old one', async () => {
      releaseFor(pool.memory, 'x');
      await newName(1, { acquire: { slow: 200 } });
      rival.nodes[1]!.faults = {};
      lineUpOlder(1);
      await pool.clock.advance(80);
      rival.nodes[0]!.faults = {};
      await pool.clock.advance(140);
      expect([pool.owners('a'), isWon, raises()]).toEqual([['ours/2', 'older', 'y'], false, 0]);
    });

    it('counts nothing that is given to the old one', async () => {
      await newName();
      rival.nodes[0]!.faults = {};
      rival.nodes[2]!.faults = { acquire: 'silent', release: 'silent' };
      await pool.clock.advance(150);
      releaseFor(pool.memory, 'y');
      await pool.clock.advance(20);
      expect([pool.owners('a'), isWon, raises()]).toEqual([['ours/2', 'x', 'ours'], false, 0]);
    });
  });
});
