import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Reply } from '../../../../lib/redis/connection/wire/wire-command.js';
import { DISTRUST } from '../../../../lib/redis/scripts/trust-script.js';
import { OwedDistrust } from '../../../../lib/redis/trust/owed-distrust.js';
import { wordsOf } from '../../../support/command-words.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const MAX_TTL = 1_000;
const KNOWN: Reply = { ok: true, value: 1 };
const REFUSED: Reply = { ok: false, reason: 'NOREPLICAS Not enough good replicas', sent: true, refused: true };
const BROKEN: Reply = { ok: false, reason: 'connection closed', sent: true };
const AWAY: Reply = { ok: false, reason: 'connection closed', sent: false };

describe('OwedDistrust', () => {
  let clock: VirtualClock;
  let owed: OwedDistrust;
  /** Of the server to which the address leads. */
  let run: string;
  /** What the node answers at once; undefined where it takes its time. */
  let answer: Reply | undefined;
  /** How long ago the step was noticed, as said by each command. */
  let sent: string[];
  let answerLater: ((reply: Reply) => void)[];

  beforeEach(() => {
    [clock, run, answer, sent, answerLater] = [new VirtualClock(), 'abc', KNOWN, [], []];
    const send = (_name: string, wire: string, settle: (reply: Reply) => void): void => {
      const [words] = wordsOf(wire);
      expect(words!.slice(0, -1)).toEqual(['EVAL', DISTRUST, '1', 'p:~node', String(MAX_TTL)]);
      sent.push(words!.at(-1)!);
      if (answer) settle(answer);
      else answerLater.push(settle);
    };
    const encoder = { marker: 'p:~node', trust: { maxTtl: MAX_TTL, restartQuarantine: true } };
    owed = new OwedDistrust(encoder, { send, clock }, () => run);
  });

  const expectNoMore = async (): Promise<void> => {
    const before = sent.length;
    owed.pay();
    await clock.advance(10 * MAX_TTL);
    expect([sent.length - before, clock.timers]).toEqual([0, 0]);
  };

  it('is owed to no node whose clock was never set', async () => {
    expect(owed.remaining).toBe(0);
    await expectNoMore();
  });

  it('counts for this process at once, and for maxTtl', async () => {
    owed.begin();
    expect(owed.remaining).toBe(MAX_TTL);
    await clock.advance(MAX_TTL - 1);
    expect(owed.remaining).toBe(1);
    await clock.advance(1_000);
    expect(owed.remaining).toBe(0);
  });

  it('is told once to a node that says that it knows', async () => {
    owed.begin();
    expect(sent).toEqual(['0']);
    await expectNoMore();
  });

  it('is told to a node that refuses again and again, with pauses, and with how long ago it was, until the node knows', async () => {
    answer = REFUSED;
    owed.begin();
    await clock.advance(250);
    expect(sent).toEqual(['0', '100', '200']);
    answer = KNOWN;
    await clock.advance(50);
    expect(sent).toEqual(['0', '100', '200', '300']);
    await expectNoMore();
  });

  it('is told to a node that refuses for as long as the quarantine lasts', async () => {
    answer = REFUSED;
    owed.begin();
    await clock.advance(MAX_TTL);
    expect(sent).toHaveLength(10);
    await expectNoMore();
  });

  it.each([
    ['broke', BROKEN],
    ['was away', AWAY],
  ])('is told when the connection is back that %s, and not before', async (_case, reply) => {
    answer = reply;
    owed.begin();
    await clock.advance(400);
    expect([sent, clock.timers]).toEqual([['0'], 0]);
    answer = KNOWN;
    owed.pay();
    expect(sent).toEqual(['0', '400']);
    await expectNoMore();
  });

  it('is not told when the connection is back only after the quarantine', async () => {
    answer = BROKEN;
    owed.begin();
    await clock.advance(MAX_TTL);
    await expectNoMore();
  });

  it('is not told twice at a time', async () => {
    answer = undefined;
    owed.begin();
    owed.pay();
    expect(sent).toHaveLength(1);
    answerLater[0]!(REFUSED);
    owed.pay();
    await clock.advance(500);
    expect([sent.length, clock.timers]).toEqual([2, 0]);
  });

  it('is told again of another step, of which the answer to the first telling says nothing', async () => {
    answer = undefined;
    owed.begin();
    await clock.advance(300);
    owed.begin();
    expect([sent, owed.remaining]).toEqual([['0', '0'], MAX_TTL]);
    answerLater[0]!(KNOWN);
    answerLater[1]!(REFUSED);
    answer = KNOWN;
    await clock.advance(100);
    expect(sent).toEqual(['0', '0', '100']);
    await expectNoMore();
  });

  it('is told to no other server that the address leads to, and counts and is told when it leads back', async () => {
    answer = REFUSED;
    owed.begin();
    run = 'def';
    await clock.advance(100);
    owed.pay();
    expect([owed.remaining, sent, clock.timers]).toEqual([0, ['0'], 0]);
    [run, answer] = ['abc', KNOWN];
    owed.pay();
    expect([owed.remaining, sent]).toEqual([MAX_TTL - 100, ['0', '100']]);
    await expectNoMore();
  });

  it('is owed to each of the servers that the address leads to, one after the other', async () => {
    answer = BROKEN;
    owed.begin();
    [run, answer] = ['def', KNOWN];
    await clock.advance(100);
    owed.begin();
    run = 'abc';
    owed.pay();
    expect(sent).toEqual(['0', '0', '100']);
    await expectNoMore();
  });

  it('is forgotten when it is over', async () => {
    owed.begin();
    await clock.advance(MAX_TTL);
    expect([owed.isOwed, owed.remaining, owed.isOwed]).toEqual([true, 0, false]);
  });

  it('leaves no timer once it is closed, whatever is noticed or answered after that', async () => {
    answer = REFUSED;
    owed.begin();
    answer = undefined;
    await clock.advance(100);
    owed.close();
    answerLater[0]!(REFUSED);
    owed.begin();
    expect([sent.length, clock.timers]).toEqual([2, 0]);
    await expectNoMore();
  });
});
