import { beforeEach, describe, expect, it } from '@jest/globals';
import { NO, Polls, YES } from '../../../support/polls.js';

describe('QuorumCall, of what comes once it is decided,', () => {
  let polls: Polls;

  beforeEach(() => {
    polls = new Polls();
  });

  it('keeps no timer once every node has answered', async () => {
    const quorumCall = polls.ballotOf(5);
    for (const index of [0, 1, 2, 3]) polls.say[index]!(NO);
    expect([await quorumCall.decision, polls.clock.timers]).toEqual(['denied', 1]);
    polls.say[4]!(NO);
    expect(polls.clock.timers).toBe(0);
  });

  it('is decided once; later answers are told separately', async () => {
    const quorumCall = polls.ballotOf(3);
    polls.say[0]!(NO);
    polls.say[1]!(NO);
    polls.say[2]!(YES);
    expect(await quorumCall.decision).toBe('denied');
    expect(polls.late).toEqual([[2, 'yes']]);
  });

  it('is told to the listener that was set last', async () => {
    const quorumCall = polls.ballotOf(3);
    polls.say[0]!(YES);
    polls.say[1]!(YES);
    expect(await quorumCall.decision).toBe('won');
    const others: unknown[] = [];
    quorumCall.whenLate((nodeIndex, { kind }) => void others.push([nodeIndex, kind]));
    polls.say[2]!(NO);
    expect([others, polls.late]).toEqual([[[2, 'no']], []]);
  });

  it('tells once of nodes that stay silent where it is lost', async () => {
    const quorumCall = polls.ballotOf(5);
    for (const index of [0, 1, 2]) polls.say[index]!(NO);
    await polls.clock.advance(49);
    polls.say[3]!(NO);
    expect(polls.late).toEqual([[3, 'no']]);
    await polls.clock.advance(100);
    expect([await quorumCall.decision, polls.late, polls.clock.timers]).toEqual([
      'denied',
      [
        [3, 'no'],
        [4, 'unknown'],
      ],
      0,
    ]);
  });

  it('does not tell of silence when it is won, or when there is no listener', async () => {
    polls.ballotOf(3);
    for (const index of [0, 1]) polls.say[index]!(YES);
    const untold = polls.ballotOf(3, { late: undefined });
    for (const index of [3, 4]) polls.say[index]!(NO);
    expect([await untold.decision, polls.clock.timers]).toEqual(['denied', 0]);
    await polls.clock.advance(100);
    expect([polls.late, untold.answers[2]]).toEqual([[], undefined]);
  });

  it('does not tell of silence either where it is won by what has arrived while the event loop was blocked', async () => {
    const quorumCall = polls.ballotOf(3);
    for (const index of [0, 1]) polls.clock.schedule(51 + index, () => polls.say[index]!(YES));
    polls.clock.block(500);
    expect(await polls.clock.until(quorumCall.decision)).toBe('won');
    await polls.clock.advance(100);
    expect([polls.late, quorumCall.answers]).toEqual([[], [YES, YES, undefined]]);
  });

  it('tells of answers that come after its timeout', async () => {
    const quorumCall = polls.ballotOf(3);
    await polls.clock.advance(50);
    polls.say[1]!(YES);
    expect(await quorumCall.decision).toBe('denied');
    expect(polls.late).toEqual([[1, 'yes']]);
  });

  it('lets one wait for the answers that its decision did not need', async () => {
    const quorumCall = polls.ballotOf(5);
    for (const index of [0, 1, 2]) polls.say[index]!(NO);
    polls.clock.schedule(10, () => polls.say[3]!(YES));
    polls.clock.schedule(20, () => polls.say[4]!(NO));
    await polls.clock.until(quorumCall.rest());
    expect(polls.clock.now().monotonic).toBe(20);
    expect(quorumCall.count((answer) => answer.kind === 'no')).toBe(4);
    expect(polls.clock.timers).toBe(0);
    await quorumCall.rest();
  });

  it('lets one wait for silent nodes no longer than its timeout', async () => {
    const quorumCall = polls.ballotOf(3);
    for (const index of [0, 1]) polls.say[index]!(NO);
    await polls.clock.until(quorumCall.rest());
    expect(polls.clock.now().monotonic).toBe(50);
    expect(quorumCall.answers).toEqual([NO, NO, undefined]);
  });
});
