import { beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { OwnClaim } from '../../../../lib/core/quorum/own-claim.js';
import type { AcquireAnswer, Unknown } from '../../../../lib/core/port/lock-node.js';
import { NodePool } from '../../../../lib/core/quorum/node-pool.js';
import {
  agreeOnCommonToken,
  commonToken,
  noteLate,
  raiseNodesBehind,
} from '../../../../lib/core/quorum/fencing-agreement.js';
import { Validity } from '../../../../lib/core/time/validity.js';
import { Votes } from '../../../../lib/core/quorum/votes.js';
import { MemoryPool } from '../../../support/memory-pool.js';
import { SeededRandom } from '../../../support/seeded-random.js';

const granted = (fence: number): AcquireAnswer => ({ kind: 'granted', fence });
const HELD: AcquireAnswer = { kind: 'held', remaining: 10, owner: 'other' };
const QUARANTINED: AcquireAnswer = { kind: 'quarantined', remaining: 10 };
const UNKNOWN: AcquireAnswer = { kind: 'unknown', reason: 'down', sent: false };

/** A quorum call that is decided, with one more answer on its way. */
function ballotOf(claim: OwnClaim, answers: (AcquireAnswer | undefined)[]) {
  let tell: (nodeIndex: number, answer: AcquireAnswer | Unknown) => void = () => undefined;
  return {
    claim,
    answers,
    whenLate: (late: typeof tell): void => void (tell = late),
    comes: (answer: AcquireAnswer): void => tell(answers.indexOf(undefined), answer),
  };
}

describe('commonToken', () => {
  it.each([
    ['all agree', [granted(5), granted(5), granted(5)], 5],
    ['those that have answered agree', [granted(5), undefined, granted(5)], 5],
    ['those that grant agree', [granted(5), HELD, granted(5), UNKNOWN, QUARANTINED], 5],
    ['one is ahead', [granted(5), granted(6), granted(5)], undefined],
    ['one is behind', [granted(4), granted(5), granted(5)], undefined],
    ['none grants', [HELD, UNKNOWN, undefined], undefined],
    ['nobody has answered', [], undefined],
  ])('where %s', (_, answers, token) => {
    expect(commonToken(answers)).toBe(token);
  });
});

describe('agreeOnCommonToken', () => {
  it.each([
    ['all agree', [granted(5), granted(5), granted(5)], false],
    ['a node has not answered yet', [granted(5), granted(5), undefined], false],
    ['a node has another counter', [granted(5), granted(5), granted(9)], true],
    ['a node is held by another claim', [granted(5), granted(5), HELD], true],
    ['a node is in quarantine', [granted(5), QUARANTINED, granted(5)], true],
    ['a node is away', [UNKNOWN, granted(5), granted(5)], false],
  ])('gives the claim its token, and where %s says so', (_, answers, isDiverged) => {
    const claim = new OwnClaim(['a'], 'v');
    agreeOnCommonToken(ballotOf(claim, answers), 5);
    expect(claim).toMatchObject({ token: 5, isDiverged });
  });
});

describe('the arrival of the oldest waiter that a node of the votes saw', () => {
  const seeing = (oldest: number): AcquireAnswer => ({ kind: 'granted', fence: 5, oldest });

  it.each([
    ['none, when no node saw a waiter', [seeing(Infinity), seeing(Infinity), undefined], Infinity],
    ['that of the oldest', [seeing(30), seeing(10), seeing(Infinity)], 10],
    ['not known, when one of the nodes does not tell', [seeing(30), granted(5), seeing(Infinity)], 0],
    ['taken only from nodes that granted', [seeing(30), HELD, seeing(40), UNKNOWN], 30],
  ])('is %s', (_, answers, oldest) => {
    const claim = new OwnClaim(['a'], 'v');
    agreeOnCommonToken(ballotOf(claim, answers), 5);
    expect(claim.oldest).toBe(oldest);
  });

  it('is also taken from votes that come late', () => {
    const claim = new OwnClaim(['a'], 'v');
    const quorumCall = ballotOf(claim, [seeing(30), seeing(40), undefined]);
    agreeOnCommonToken(quorumCall, 5);
    quorumCall.comes(seeing(20));
    quorumCall.comes(HELD);
    expect(claim.oldest).toBe(20);
  });
});

describe('noteLate', () => {
  it.each([
    ['the same counter', granted(5), false],
    ['another counter', granted(4), true],
    ['no vote', HELD, true],
    ['no answer', UNKNOWN, false],
  ])('notes of %s whether it differs', (_, answer, isDiverged) => {
    const claim = new OwnClaim(['a'], 'v');
    agreeOnCommonToken(ballotOf(claim, [granted(5), granted(5), undefined]), 5);
    noteLate(claim, answer);
    expect(claim.isDiverged).toBe(isDiverged);
  });

  it('notes nothing while there is no token', () => {
    const claim = new OwnClaim(['a'], 'v');
    noteLate(claim, HELD);
    expect(claim.isDiverged).toBe(false);
  });

  it('does not forget that some node differed', () => {
    const claim = new OwnClaim(['a'], 'v');
    agreeOnCommonToken(ballotOf(claim, [granted(5), granted(5), HELD]), 5);
    noteLate(claim, granted(5));
    expect(claim.isDiverged).toBe(true);
  });
});

describe('raiseNodesBehind', () => {
  let memory: MemoryPool;
  let pool: NodePool;
  let claim: OwnClaim;
  let votes: Votes;
  let changes: number;

  beforeEach(() => {
    memory = new MemoryPool(3);
    pool = new NodePool(memory.nodes, { clock: memory.clock, random: new SeededRandom() });
    claim = new OwnClaim(['a'], 'ours');
    votes = new Votes(3);
    changes = 0;
  });

  /** What the nodes have granted us, with which counters. */
  const vote = (fences: readonly (number | undefined)[], how: 'grant' | 'grantMeanwhile' = 'grant'): void =>
    fences.forEach((fence, nodeIndex) => {
      if (fence === undefined) return;
      const node = memory.memory[nodeIndex]!;
      const question = new SingleCall<AcquireAnswer>(claim, 1_000);
      node.acquire(question, nodeIndex);
      const counter = new SingleCall<never>(claim, 0);
      counter.proposal = fence;
      node.raise(counter, nodeIndex);
      votes[how](nodeIndex, { validity: new Validity(memory.clock.now(), 1_000), fence });
    });
  const raise = async (): Promise<void> => {
    raiseNodesBehind(pool, claim, { votes, awaited: false, changed: () => (changes += 1) });
    await memory.clock.advance(1);
  };
  const raised = (): number[] => memory.nodes.map((node) => node.callsOf('raise').length);

  it('lifts those that are behind, and no others, until the token stands', async () => {
    vote([50, 90, undefined]);
    await raise();
    expect([raised(), changes]).toEqual([[1, 0, 0], 1]);
    expect(memory.memory[0]!.fence('a')).toBe(90);
    expect(votes.token(memory.clock)).toEqual({ token: 90, tokens: 1, stands: true });
  });

  it.each([
    ['all agree', [50, 50, undefined]],
    ['the token stands although one is ahead', [50, 50, 90]],
    ['the token stands although one is behind', [50, 90, 90]],
    ['there is no quorum', [50, undefined, undefined]],
  ])('does nothing where %s', async (_, fences) => {
    vote(fences);
    await raise();
    expect([raised(), changes]).toEqual([[0, 0, 0], 0]);
  });

  it('counts nothing before the node has said that it has done so', async () => {
    vote([50, 90, undefined]);
    memory.nodes[0]!.faults = { raise: { slow: 10 } };
    await raise();
    expect([changes, votes.token(memory.clock)]).toEqual([0, { token: 90, tokens: 1, stands: false }]);
    await memory.clock.advance(10);
    expect([changes, votes.token(memory.clock)]).toEqual([1, { token: 90, tokens: 1, stands: true }]);
  });

  it.each(['silent', 'down', 'broken', 'lost reply'] as const)('counts nothing where that is %s', async (fault) => {
    vote([50, 90, undefined]);
    memory.nodes[0]!.faults = { raise: fault };
    await raise();
    expect(votes.token(memory.clock)).toEqual({ token: 90, tokens: 1, stands: false });
    expect(votes.has(0)).toBe(true);
  });

  it.each(['grant', 'grantMeanwhile'] as const)('drops the vote of a node that has lost it since: %s', async (how) => {
    vote([50, 90, undefined], how);
    memory.memory[0]!.set('a', 'rival', 1_000);
    await raise();
    expect([changes, votes.has(0), votes.quorum(memory.clock)]).toEqual([1, false, undefined]);
  });

  it('leaves out votes that have run out', async () => {
    votes.grant(0, { validity: new Validity(memory.clock.now(), 10), fence: 50 });
    memory.clock.block(10);
    vote([undefined, 60, 90]);
    await raise();
    expect(raised()).toEqual([0, 1, 0]);
  });
});
