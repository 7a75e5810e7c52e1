import { beforeEach, describe, expect, it } from '@jest/globals';
import { NO, Polls, YES } from '../../../support/polls.js';

describe('QuorumCall, of what comes once it is decided,', () => {
  let polls: Polls;
  let clock: Polls['clock'];
  let say: Polls['say'];
  let late: Polls['late'];
  let ballotOf: Polls['ballotOf'];

  beforeEach(() => {
    polls = new Polls();
    ({ clock, say, late, ballotOf } = polls);
  });

  it('keeps no timer once every node has answered', async () => {
    const quorumCall = ballotOf(5);
    for (const index of [0, 1, 2, 3]) say[index]!(NO);
    expect([await quorumCall.decision, clock.timers]).toEqual(['lost', 1]);
    say[4]!(NO);
    expect(clock.timers).toBe(0);
  });

  it('is decided once; what comes later is told apart', async () => {
    const quorumCall = ballotOf(3);
    say[0]!(NO);
    say[1]!(NO);
    say[2]!(YES);
    expect(await quorumCall.decision).toBe('lost');
    expect(late).toEqual([[2, 'yes']]);
  });

  it('is told to whoever was named last', async () => {
    const quorumCall = ballotOf(3);
    say[0]!(YES);
    say[1]!(YES);
    expect(await quorumCall.decision).toBe('won');
    const others: unknown[] = [];
    quorumCall.tellLate((nodeIndex, { kind }) => void others.push([nodeIndex, kind]));
    say[2]!(NO);
    expect([others, late]).toEqual([[[2, 'no']], []]);
  });

  it('tells once of nodes that stay silent where it is lost', async () => {
    const quorumCall = ballotOf(5);
    for (const index of [0, 1, 2]) say[index]!(NO);
    await clock.advance(49);
    say[3]!(NO);
    expect(late).toEqual([[3, 'no']]);
    await clock.advance(100);
    expect([await quorumCall.decision, late, clock.timers]).toEqual([
      'lost',
      [
        [3, 'no'],
        [4, 'unknown'],
      ],
      0,
    ]);
  });

  it('does not tell of silence where it is won, or where nobody is told', async () => {
    ballotOf(3);
    for (const index of [0, 1]) say[index]!(YES);
    const untold = ballotOf(3, { late: undefined });
    for (const index of [3, 4]) say[index]!(NO);
    expect([await untold.decision, clock.timers]).toEqual(['lost', 0]);
    await clock.advance(100);
    expect([late, untold.answers[2]]).toEqual([[], undefined]);
  });

  it('does not tell of silence either where it is won by what has arrived while the event loop was blocked', async () => {
    const quorumCall = ballotOf(3);
    for (const index of [0, 1]) clock.schedule(51 + index, () => say[index]!(YES));
    clock.block(500);
    expect(await clock.until(quorumCall.decision)).toBe('won');
    await clock.advance(100);
    expect([late, quorumCall.answers]).toEqual([[], [YES, YES, undefined]]);
  });

  it('tells of answers that come after its timeout', async () => {
    const quorumCall = ballotOf(3);
    await clock.advance(50);
    say[1]!(YES);
    expect(await quorumCall.decision).toBe('lost');
    expect(late).toEqual([[1, 'yes']]);
  });

  it('lets one wait for the answers that its decision did not need', async () => {
    const quorumCall = ballotOf(5);
    for (const index of [0, 1, 2]) say[index]!(NO);
    clock.schedule(10, () => say[3]!(YES));
    clock.schedule(20, () => say[4]!(NO));
    await clock.until(quorumCall.rest());
    expect(clock.now().monotonic).toBe(20);
    expect(quorumCall.count((answer) => answer.kind === 'no')).toBe(4);
    expect(clock.timers).toBe(0);
    await quorumCall.rest();
  });

  it('lets one wait for silent nodes no longer than its timeout', async () => {
    const quorumCall = ballotOf(3);
    for (const index of [0, 1]) say[index]!(NO);
    await clock.until(quorumCall.rest());
    expect(clock.now().monotonic).toBe(50);
    expect(quorumCall.answers).toEqual([NO, NO, undefined]);
  });
});
