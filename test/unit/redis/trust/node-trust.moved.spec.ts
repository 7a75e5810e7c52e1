import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DISTRUST } from '../../../../lib/redis/scripts/trust-script.js';
import type { NodeAnswer } from '../../../../lib/redis/batch/reply-decoder.js';
import { GRANTED, infoOf, NotedTrust, out, redisOf } from '../../../support/noted-trust.js';

/** Ms, of the clients here. */
const MAX_TTL = 1_000;
const HOUR = 3_600_000;

describe('NodeTrust, of a server that comes to the address of another one,', () => {
  let noted: NotedTrust;
  beforeEach(async () => {
    jest.useFakeTimers();
    noted = new NotedTrust();
    await leadTo('abc');
  });
  afterEach(() => void jest.useRealTimers());

  /** Resolves when the address leads to a server that has voted since then, ms ago, and that has said what time it has. */
  const leadTo = async (run: string, ago = HOUR, ahead = 0): Promise<void> => {
    const marker = `${run}|${(Date.now() + ahead - ago) * 1_000}|${MAX_TTL}`;
    await noted.trust.examine(redisOf(infoOf(run), marker));
    noted.hear(ahead);
  };
  /** What a vote counts as that comes now. */
  const vote = (trust = noted.trust): unknown => {
    noted.hear(0, trust);
    return trust.countVote(GRANTED);
  };
  const told = (...agos: readonly number[]): unknown =>
    expect(noted.sent).toEqual(agos.map((ago) => ['EVAL', DISTRUST, '1', 'p:~node', String(MAX_TTL), String(ago)]));

  it('counts no vote of it for maxTtl, and tells all clients, though it has voted elsewhere for long', async () => {
    vote();
    jest.advanceTimersByTime(300);
    await leadTo('def');
    expect(vote()).toEqual(out(MAX_TTL));
    expect(noted.trust.allows(7, noted.clock.now())).toBe(false);
    told(0);
    jest.advanceTimersByTime(MAX_TTL);
    expect([vote(), noted.trust.allows(7, noted.clock.now())]).toEqual([GRANTED, true]);
    expect(noted.types).toEqual(['node-quarantined', 'node-trusted']);
  });

  it('tells it once, however often it is asked meanwhile', async () => {
    vote();
    await leadTo('def');
    jest.advanceTimersByTime(400);
    noted.hear(0);
    expect(noted.trust.countVote(out(600))).toEqual(out(600));
    told(0);
  });

  it('does so where it was last asked for longer than maxTtl ago, since others may have locks', async () => {
    vote();
    jest.advanceTimersByTime(10 * MAX_TTL);
    await leadTo('def');
    expect(vote()).toEqual(out(MAX_TTL));
    told(0);
  });

  it('leaves it to the node where it is younger than that, as after a restart', async () => {
    vote();
    jest.advanceTimersByTime(10 * MAX_TTL);
    await leadTo('def', 5 * MAX_TTL);
    expect(vote()).toEqual(GRANTED);
    told();
  });

  it('goes by what its clock is now, and not when the address led to it before', async () => {
    const [slow, since] = [-30_000, Date.now() + HOUR + 5 * MAX_TTL];
    await leadTo('def');
    await leadTo('abc');
    jest.advanceTimersByTime(HOUR);
    vote();
    jest.advanceTimersByTime(20 * MAX_TTL);
    // By the clock that it had an hour ago, it would have been a node before that vote.
    await leadTo('def', Date.now() - since, slow);
    noted.hear(slow);
    expect(noted.trust.countVote(GRANTED)).toEqual(GRANTED);
  });

  /** Leads to a server that became a node at about the time of the last vote: its first answer comes so late that this cannot be told. */
  const leadToUnsure = async (): Promise<void> => {
    vote();
    jest.advanceTimersByTime(10 * MAX_TTL);
    const [sent, time] = [noted.clock.now(), Date.now()];
    await noted.trust.examine(redisOf(infoOf('def'), `def|${(time - 11 * MAX_TTL) * 1_000}|${MAX_TTL}`));
    // A release shows nothing of votes yet.
    noted.trust.count({ kind: 'released' });
    jest.advanceTimersByTime(5 * MAX_TTL);
    noted.trust.heard({ ok: true, value: 1 + 1_024 * time }, sent);
  };

  it('counts none before it is known since when it has been a node, and asks again', async () => {
    await leadToUnsure();
    expect(noted.trust.countVote(GRANTED)).toMatchObject({ kind: 'unknown', sent: true });
    expect(noted.trust.allows(7)).toBe(false);
    told();
  });

  it('knows that by the next answer', async () => {
    await leadToUnsure();
    noted.trust.countVote(GRANTED);
    expect(vote()).toEqual(out(MAX_TTL));
    told(0);
  });

  it.each<[string, NodeAnswer]>([
    ['voted', GRANTED],
    ['voted by a token that is too far ahead', { kind: 'granted', fence: (Date.now() + HOUR) * 1_000 }],
    ['told of a holder', { kind: 'held', remaining: 500, owner: 'x' }],
    ['extended a lease', { kind: 'extended' }],
    ['has given a lock back', { kind: 'released' }],
  ])('does so where it became a node before the other one %s', async (_case, answer) => {
    jest.advanceTimersByTime(500);
    noted.hear(0);
    noted.trust.countVote(answer);
    jest.advanceTimersByTime(10 * MAX_TTL);
    await leadTo('def', 10 * MAX_TTL + 100);
    expect(vote()).toEqual(out(MAX_TTL));
  });

  it('does so where it became a node before the other one granted a lock to a waiter', async () => {
    jest.advanceTimersByTime(500);
    expect(noted.trust.allows(7, noted.clock.now())).toBe(true);
    jest.advanceTimersByTime(10 * MAX_TTL);
    await leadTo('def', 10 * MAX_TTL + 100);
    expect(vote()).toEqual(out(MAX_TTL));
  });

  it('counts its votes at once where no lock can rest on the other one, which did not vote yet', async () => {
    noted = new NotedTrust();
    await leadTo('abc', 100);
    noted.trust.countVote(out(500));
    await leadTo('def');
    expect(vote()).toEqual(GRANTED);
    told();
  });

  it('counts the votes of the other one at once when the address leads back before this one could vote', async () => {
    vote();
    for (let visit = 0; visit < 2; visit += 1) {
      jest.advanceTimersByTime(200);
      await leadTo('def', 100);
      expect(noted.trust.countVote(out(900))).toEqual(out(900));
      await leadTo('abc');
      expect(vote()).toEqual(GRANTED);
    }
    told();
  });

  it('does so only once it votes here: not while it is barred, because it is the server of another address', async () => {
    vote();
    noted.trust.bar('it leads to the same server as another');
    await leadTo('def');
    told();
    noted.trust.bar(undefined);
    // What is owed to it may be given back first.
    noted.trust.count({ kind: 'gone' });
    expect(vote()).toEqual(out(MAX_TTL));
    told(0);
  });

  it('goes by when it was asked, and not by when the answer was read: a restart meanwhile is none', async () => {
    let tell: (info: string) => void = () => undefined;
    const info = (): Promise<string> => new Promise((resolve) => (tell = resolve));
    const marker = `run-1|${(Date.now() - HOUR) * 1_000}|${MAX_TTL}`;
    noted = new NotedTrust();
    const known = noted.trust.examine(Object.assign(redisOf('', marker), { info }));
    jest.advanceTimersByTime(5 * MAX_TTL);
    tell(infoOf('run-1'));
    await known;
    await leadTo('run-2', 2 * MAX_TTL);
    expect(vote()).toEqual(GRANTED);
    told();
  });

  it('does not take a server for one that could vote here while it was barred', async () => {
    vote();
    jest.advanceTimersByTime(200);
    noted.trust.bar('it leads to the same server as another');
    await leadTo('def');
    const back = noted.trust.examine(redisOf(infoOf('abc'), `abc|${(Date.now() - HOUR) * 1_000}|${MAX_TTL}`));
    noted.trust.bar(undefined);
    await back;
    expect(vote()).toEqual(GRANTED);
  });

  it('does nothing where restarts do not count', async () => {
    const trust = noted.trustOf(false);
    for (const run of ['abc', 'def']) {
      await trust.examine(redisOf(infoOf(run)));
      expect(vote(trust)).toEqual(GRANTED);
    }
    told();
  });
});
