import { beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../../lib/core/port/single-call.js';
import type { AcquireAnswer, Unknown } from '../../../../../lib/core/port/lock-node.js';
import { NodePool } from '../../../../../lib/core/quorum/node-pool.js';
import { VoteTransfer } from '../../../../../lib/core/acquire/line/vote-transfer.js';
import { Validity } from '../../../../../lib/core/time/validity.js';
import { Votes } from '../../../../../lib/core/quorum/votes.js';
import { MemoryPool } from '../../../../support/memory-pool.js';
import type { Fault } from '../../../../support/scripted-node.js';
import { SeededRandom } from '../../../../support/seeded-random.js';
import { WaiterStub } from '../../../../support/waiter-stub.js';

const GRANTED: AcquireAnswer = { kind: 'granted', fence: 1 };
const HELD: AcquireAnswer = { kind: 'held', remaining: 10, owner: 'other' };
const unknown = (sent: boolean): Unknown => ({ kind: 'unknown', reason: 'broken', sent });

describe('VoteTransfer', () => {
  let memory: MemoryPool;
  let us: WaiterStub;
  let votes: Votes;
  let transfer: VoteTransfer;
  let told: number;

  beforeEach(() => {
    memory = new MemoryPool(3);
    const pool = new NodePool(memory.nodes, { clock: memory.clock, random: new SeededRandom() });
    us = new WaiterStub('a', { arrived: 2, ttl: 500, value: 'ours' });
    votes = new Votes(3);
    told = 0;
    transfer = new VoteTransfer(pool, us.claim, { votes, ttl: 1_000, yielded: () => (told += 1) });
  });

  /** These nodes have given us what we ask for. */
  const take = (...nodeIndexes: number[]): void => {
    for (const nodeIndex of nodeIndexes) {
      memory.memory[nodeIndex]!.acquire(new SingleCall<AcquireAnswer>(us.claim, 1_000), nodeIndex);
      votes.grant(nodeIndex, { validity: new Validity(memory.clock.now(), 1_000), fence: 1 });
    }
  };
  const lineUp = (arrived: number, value: string, nodeIndexes: readonly number[]): void => {
    const waiter = new WaiterStub('a', { arrived, ttl: 500, value });
    for (const nodeIndex of nodeIndexes)
      memory.memory[nodeIndex]!.acquire(new SingleCall<AcquireAnswer>(waiter.claim, 1_000), nodeIndex);
  };
  const asked = (verb: 'yield' | 'release'): number[] => memory.nodes.map((node) => node.callsOf(verb).length);
  const owners = () => memory.owners('a');
  const lines = () => memory.memory.map((node) => node.waiting('a'));
  const counted = () => votes.quorum(memory.clock) !== undefined;

  it('passes votes to older waiters, and then waits behind them', async () => {
    take(0, 1);
    lineUp(1, 'older', [0, 1]);
    transfer.yieldVotes([GRANTED, GRANTED, HELD]);
    expect(counted()).toBe(false);
    await memory.clock.advance(1);
    expect([owners(), lines()]).toEqual([
      ['older', 'older', undefined],
      [['ours'], ['ours'], []],
    ]);
    expect([asked('yield'), votes.has(0), votes.has(1), told]).toEqual([[1, 1, 0], false, false, 2]);
  });

  it.each([
    ['nobody else waits', () => undefined],
    ['only younger ones wait', () => lineUp(3, 'younger', [0, 1])],
  ])('keeps them where %s, but does not count them before that is known', async (_, others) => {
    take(0, 1);
    others();
    transfer.yieldVotes([GRANTED, GRANTED, HELD]);
    expect(counted()).toBe(false);
    await memory.clock.advance(1);
    expect([counted(), told, owners()]).toEqual([true, 2, ['ours', 'ours', undefined]]);
  });

  it('no longer counts a vote whose yield has an unknown result', async () => {
    take(0, 1);
    memory.nodes[0]!.faults = { yield: 'broken' };
    transfer.yieldVotes([GRANTED, GRANTED, HELD]);
    await memory.clock.advance(1);
    expect([votes.has(0), votes.has(1), counted()]).toEqual([false, true, false]);
  });

  it.each<['yield' | 'release', Fault, boolean]>([
    ['yield', 'broken', true],
    ['yield', 'down', false],
    ['yield', { slow: 1 }, false],
    // It is owed, and sent later.
    ['release', 'down', true],
    ['release', 'broken', true],
    ['release', { slow: 1 }, false],
  ])('after a %s that is %j its node is doubtful: %s', async (verb, fault, doubtful) => {
    take(0, 1);
    memory.nodes[0]!.faults = { [verb]: fault };
    if (verb === 'yield') transfer.yieldVotes([GRANTED, GRANTED, HELD]);
    else transfer.giveWay();
    await memory.clock.advance(2);
    expect([us.claim.isDoubtfulAt(0), us.claim.isDoubtfulAt(1), us.claim.isDoubtful]).toEqual([
      doubtful,
      false,
      doubtful,
    ]);
  });

  it.each<[string, AcquireAnswer | Unknown | undefined, number]>([
    ['granted', GRANTED, 1],
    ['has not answered', undefined, 0],
    ['may have been reached', unknown(true), 1],
    ['was provably not reached', unknown(false), 0],
    ['is held by another claim', HELD, 0],
    ['is in quarantine', { kind: 'quarantined', remaining: 5 }, 0],
  ])('asks a node that %s so many times: %j, %i', (_, answer, times) => {
    transfer.yieldVotes([answer, HELD, HELD]);
    expect(asked('yield')).toEqual([times, 0, 0]);
  });

  it.each<[string, AcquireAnswer | Unknown, readonly number[], number]>([
    ['granted', GRANTED, [1], 1],
    ['may have been reached', unknown(true), [], 1],
    ['was provably not reached', unknown(false), [], 0],
    ['is held by another claim', HELD, [], 0],
    ['granted what was missing', GRANTED, [1, 2], 0],
  ])(
    'asks a node whose late answer says that it %s so many times: %j, with the votes of %j, %i',
    (_, answer, ...rest) => {
      const [others, times] = rest;
      take(...others);
      transfer.yieldLate(0, answer);
      expect(asked('yield')).toEqual([times, 0, 0]);
    },
  );

  it('asks a node that granted it in between, whatever its answer was', () => {
    take(2);
    transfer.yieldVotes([HELD, HELD, HELD]);
    expect(asked('yield')).toEqual([0, 0, 1]);
  });

  it('gives way by giving back its votes, and keeps its place where it has none', async () => {
    take(0, 1);
    memory.memory[2]!.set('a', 'other', 10_000);
    lineUp(2, 'ours', [2]);
    lineUp(3, 'younger', [0, 1, 2]);
    transfer.giveWay();
    expect(counted()).toBe(false);
    await memory.clock.advance(1);
    expect([asked('release'), owners()]).toEqual([
      [1, 1, 0],
      ['younger', 'younger', 'other'],
    ]);
    expect([votes.has(0), votes.has(1), lines()[2]]).toEqual([false, false, ['ours', 'younger']]);
  });

  it('keeps its places in line where it gives way', async () => {
    memory.memory.forEach((node) => node.set('a', 'other', 10_000));
    lineUp(2, 'ours', [0, 1, 2]);
    votes.grant(0, { validity: new Validity(memory.clock.now(), 1_000), fence: 1 });
    transfer.giveWay();
    await memory.clock.advance(1);
    expect(lines()[1]).toEqual(['ours']);
  });
});
