import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Ballot } from '../../../lib/core/ballot.js';
import { Claim } from '../../../lib/core/claim.js';
import { NO, Polls, YES, type Vote } from '../../support/polls.js';

describe('Ballot', () => {
  let polls: Polls;
  let clock: Polls['clock'];
  let say: Polls['say'];
  let late: Polls['late'];
  let ballotOf: Polls['ballotOf'];

  beforeEach(() => {
    polls = new Polls();
    ({ clock, say, late, ballotOf } = polls);
  });

  const isOpen = async (ballot: Ballot<Vote>): Promise<boolean> =>
    (await Promise.race([ballot.decision, Promise.resolve('open')])) === 'open';

  it('puts the question to every node at once, with its claim and ttl, and tells it its seat', () => {
    const asked: unknown[] = [];
    const ballot = ballotOf(3, {
      put: (node, question, seat) => asked.push([node.name, seat, question.claim, question.ttl]),
    });
    expect(asked).toEqual([0, 1, 2].map((seat) => [`node-${seat}`, seat, polls.claim, 1_000]));
    expect(ballot.nodes.map(({ name }) => name)).toEqual(['node-0', 'node-1', 'node-2']);
  });

  it('tells that it is decided in the very turn of the answer that decides it, once', () => {
    const told: string[] = [];
    ballotOf(3).whenDecided((decision) => told.push(decision));
    say[0]!(YES);
    expect(told).toEqual([]);
    say[1]!(YES);
    expect(told).toEqual(['won']);
    say[2]!(YES);
    expect(told).toEqual(['won']);
  });

  it('tells at once that it is decided where it is', () => {
    const ballot = ballotOf(3);
    for (const vote of [0, 1]) say[vote]!(NO);
    const told: string[] = [];
    ballot.whenDecided((decision) => told.push(decision));
    expect(told).toEqual(['lost']);
  });

  it('takes every answer for a vote in favour where none is named, except that there is none', async () => {
    const [won, lost] = [ballotOf(3, { favour: undefined }), ballotOf(3, { favour: undefined })];
    say[0]!(YES);
    say[1]!(NO);
    for (const index of [4, 5]) say[index]!({ kind: 'unknown', reason: 'closed', sent: true });
    expect(await Promise.all([won.decision, lost.decision])).toEqual(['won', 'lost']);
  });

  it('is won at a quorum, without the others', async () => {
    const ballot = ballotOf(5);
    say[4]!(YES);
    say[0]!(YES);
    expect(await isOpen(ballot)).toBe(true);
    say[2]!(YES);
    expect(await ballot.decision).toBe('won');
    expect(clock.timers).toBe(0);
  });

  it('does not count what a doubtful node gives, also where it comes late', async () => {
    const doubtful = new Claim(['a'], 'ours');
    doubtful.doubt(0);
    doubtful.doubt(2);
    const ballot = ballotOf(3, { claim: doubtful, late: (seat, answer) => late.push([seat, answer]) });
    say[0]!(YES);
    say[1]!(YES);
    expect([await isOpen(ballot), ballot.answers[0]]).toEqual([true, expect.objectContaining({ kind: 'unknown' })]);
    const refusing = ballotOf(3, { claim: doubtful, late: (seat, answer) => late.push([seat, answer]) });
    for (const answer of say.slice(3, 5)) answer(NO);
    say[5]!(YES);
    expect([await refusing.decision, late]).toEqual(['lost', [[2, expect.objectContaining({ kind: 'unknown' })]]]);
  });

  it('is lost as soon as no quorum is possible, whatever kind of refusal it was', async () => {
    const ballot = ballotOf(5);
    say[0]!(NO);
    say[1]!({ kind: 'unknown', reason: 'closed', sent: false });
    expect(await isOpen(ballot)).toBe(true);
    say[2]!(NO);
    expect(await ballot.decision).toBe('lost');
  });

  it('is lost in a tie', async () => {
    const ballot = ballotOf(4);
    for (const [index, vote] of [YES, NO, YES, NO].entries()) say[index]!(vote);
    expect(await ballot.decision).toBe('lost');
  });

  it('takes silence for an answer after its timeout, and not before', async () => {
    const ballot = ballotOf(3);
    say[0]!(YES);
    await clock.advance(49);
    expect(await isOpen(ballot)).toBe(true);
    await clock.advance(1);
    expect(await ballot.decision).toBe('lost');
    const silence = { kind: 'unknown', reason: 'no answer within 50 ms', sent: true };
    expect(ballot.answers).toEqual([YES, silence, silence]);
  });

  it('counts what has arrived while the event loop was blocked, before it takes silence for an answer', async () => {
    const ballot = ballotOf(3);
    for (const index of [0, 1]) clock.schedule(51 + index, () => say[index]!(YES));
    clock.block(500);
    expect(await clock.until(ballot.decision)).toBe('won');
  });

  it('knows what each node has answered, by its seat', () => {
    const ballot = ballotOf(3);
    say[2]!(NO);
    say[0]!(YES);
    expect(ballot.answers).toEqual([YES, undefined, NO]);
  });

  it('counts the answers that satisfy a test', () => {
    const ballot = ballotOf(5);
    say[1]!(YES);
    say[3]!(NO);
    expect(ballot.count((answer) => answer.kind === 'yes')).toBe(1);
    expect(ballot.count(() => true)).toBe(2);
  });
});
