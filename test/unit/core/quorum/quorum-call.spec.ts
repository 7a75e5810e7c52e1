import { beforeEach, describe, expect, it } from '@jest/globals';
import type { QuorumCall } from '../../../../lib/core/quorum/quorum-call.js';
import { OwnClaim } from '../../../../lib/core/quorum/own-claim.js';
import { NO, Polls, YES, type Vote } from '../../../support/polls.js';

describe('QuorumCall', () => {
  let polls: Polls;

  beforeEach(() => {
    polls = new Polls();
  });

  const isOpen = async (quorumCall: QuorumCall<Vote>): Promise<boolean> =>
    (await Promise.race([quorumCall.decision, Promise.resolve('open')])) === 'open';

  it('puts the question to every node at once, with its claim and ttl, and tells it its index', () => {
    const asked: unknown[] = [];
    const quorumCall = polls.ballotOf(3, {
      put: (node, question, nodeIndex) => asked.push([node.name, nodeIndex, question.claim, question.ttl]),
    });
    expect(asked).toEqual([0, 1, 2].map((nodeIndex) => [`node-${nodeIndex}`, nodeIndex, polls.claim, 1_000]));
    expect(quorumCall.nodes.map(({ name }) => name)).toEqual(['node-0', 'node-1', 'node-2']);
  });

  it('tells that it is decided in the very turn of the answer that decides it, once', () => {
    const told: string[] = [];
    polls.ballotOf(3).whenDecided((decision) => told.push(decision));
    polls.say[0]!(YES);
    expect(told).toEqual([]);
    polls.say[1]!(YES);
    expect(told).toEqual(['won']);
    polls.say[2]!(YES);
    expect(told).toEqual(['won']);
  });

  it('tells a new listener at once when it is decided already', () => {
    const quorumCall = polls.ballotOf(3);
    for (const vote of [0, 1]) polls.say[vote]!(NO);
    const told: string[] = [];
    quorumCall.whenDecided((decision) => told.push(decision));
    expect(told).toEqual(['denied']);
  });

  it('takes every answer except a missing one for a vote in favour when no kind of answer is named', async () => {
    const [won, lost] = [polls.ballotOf(3, { yes: undefined }), polls.ballotOf(3, { yes: undefined })];
    polls.say[0]!(YES);
    polls.say[1]!(NO);
    for (const index of [4, 5]) polls.say[index]!({ kind: 'unknown', reason: 'closed', sent: true });
    expect(await Promise.all([won.decision, lost.decision])).toEqual(['won', 'denied']);
  });

  it('is won at a quorum, without the others', async () => {
    const quorumCall = polls.ballotOf(5);
    polls.say[4]!(YES);
    polls.say[0]!(YES);
    expect(await isOpen(quorumCall)).toBe(true);
    polls.say[2]!(YES);
    expect(await quorumCall.decision).toBe('won');
    expect(polls.clock.timers).toBe(0);
  });

  it('does not count what a doubtful node gives, also where it comes late', async () => {
    const doubtful = new OwnClaim(['a'], 'ours');
    doubtful.doubt(0);
    doubtful.doubt(2);
    const quorumCall = polls.ballotOf(3, {
      claim: doubtful,
      late: (nodeIndex, answer) => polls.late.push([nodeIndex, answer]),
    });
    polls.say[0]!(YES);
    polls.say[1]!(YES);
    expect([await isOpen(quorumCall), quorumCall.answers[0]]).toEqual([
      true,
      expect.objectContaining({ kind: 'unknown' }),
    ]);
    const refusing = polls.ballotOf(3, {
      claim: doubtful,
      late: (nodeIndex, answer) => polls.late.push([nodeIndex, answer]),
    });
    for (const answer of polls.say.slice(3, 5)) answer(NO);
    polls.say[5]!(YES);
    expect([await refusing.decision, polls.late]).toEqual([
      'denied',
      [[2, expect.objectContaining({ kind: 'unknown' })]],
    ]);
  });

  it('is lost as soon as no quorum is possible, whatever kind of refusal it was', async () => {
    const quorumCall = polls.ballotOf(5);
    polls.say[0]!(NO);
    polls.say[1]!({ kind: 'unknown', reason: 'closed', sent: false });
    expect(await isOpen(quorumCall)).toBe(true);
    polls.say[2]!(NO);
    expect(await quorumCall.decision).toBe('denied');
  });

  it('is lost in a tie', async () => {
    const quorumCall = polls.ballotOf(4);
    for (const [index, vote] of [YES, NO, YES, NO].entries()) polls.say[index]!(vote);
    expect(await quorumCall.decision).toBe('denied');
  });

  it('takes silence for an answer after its timeout, and not before', async () => {
    const quorumCall = polls.ballotOf(3);
    polls.say[0]!(YES);
    await polls.clock.advance(49);
    expect(await isOpen(quorumCall)).toBe(true);
    await polls.clock.advance(1);
    expect(await quorumCall.decision).toBe('denied');
    const silence = { kind: 'unknown', reason: 'no answer within 50 ms', sent: true };
    expect(quorumCall.answers).toEqual([YES, silence, silence]);
  });

  it('counts what has arrived while the event loop was blocked, before it takes silence for an answer', async () => {
    const quorumCall = polls.ballotOf(3);
    for (const index of [0, 1]) polls.clock.schedule(51 + index, () => polls.say[index]!(YES));
    polls.clock.block(500);
    expect(await polls.clock.until(quorumCall.decision)).toBe('won');
  });

  it('knows what each node has answered, by its index', () => {
    const quorumCall = polls.ballotOf(3);
    polls.say[2]!(NO);
    polls.say[0]!(YES);
    expect(quorumCall.answers).toEqual([YES, undefined, NO]);
  });

  it('counts the answers that satisfy a test', () => {
    const quorumCall = polls.ballotOf(5);
    polls.say[1]!(YES);
    polls.say[3]!(NO);
    expect(quorumCall.count((answer) => answer.kind === 'yes')).toBe(1);
    expect(quorumCall.count(() => true)).toBe(2);
  });
});
