import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import { DISTRUST } from '../../../../lib/redis/scripts/trust-script.js';
import { GRANTED, infoOf, NotedTrust, out, redisOf } from '../../../support/noted-trust.js';

const MAX_TTL = 1_000;
const HOUR = 3_600_000;
const NO_RIGHT = Object.assign(new Error("NOPERM this user has no permissions to run the 'info' command"), {
  name: 'ReplyError',
});
const BUSY = Object.assign(new Error('BUSY Redis is busy running a script'), { name: 'ReplyError' });
const MASTERDOWN = Object.assign(new Error('MASTERDOWN Link with MASTER is down'), { name: 'ReplyError' });

describe('NodeTrust, of a server that does not say which one it is,', () => {
  let noted: NotedTrust;
  /** How often the connection was left for a new one. */
  let left: boolean[];
  beforeEach(() => {
    jest.useFakeTimers();
    [noted, left] = [new NotedTrust(), []];
  });
  afterEach(() => void jest.useRealTimers());

  const silent = (): Redis =>
    Object.assign(redisOf(NO_RIGHT), { disconnect: (reconnect: boolean) => void left.push(reconnect) });
  const old = (run: string): string => `${run}|${(Date.now() - HOUR) * 1_000}|${MAX_TTL}`;
  /** Resolves when the address leads to this run, which has been a node for long. */
  const leadTo = async (run: string): Promise<void> => {
    await noted.trust.examine(redisOf(infoOf(run), old(run)));
    noted.hear(0);
  };
  const vote = (): unknown => {
    noted.hear(0);
    return noted.trust.countVote(GRANTED);
  };

  it('counts no vote and no grant of it, and asks again over a new connection, since it would say so now', async () => {
    await noted.trust.examine(silent());
    expect(noted.trust.obstacle).toBeUndefined();
    expect(vote()).toMatchObject({ kind: 'unknown', reason: expect.stringMatching(/INFO/), refused: true });
    expect(left).toEqual([true]);
    expect([vote(), noted.trust.allows(7, noted.clock.now())]).toEqual([
      expect.objectContaining({ kind: 'unknown' }),
      false,
    ]);
    expect(left).toEqual([true]);
    await leadTo('abc');
    expect([vote(), noted.trust.allows(7, noted.clock.now())]).toEqual([GRANTED, true]);
    expect(left).toHaveLength(1);
  });

  it('leaves for a new connection once in maxTtl, where that one cannot ask either', async () => {
    for (let connection = 0; connection < 3; connection += 1) {
      await noted.trust.examine(silent());
      expect(vote()).toMatchObject({ kind: 'unknown' });
    }
    expect(left).toEqual([true]);
    jest.advanceTimersByTime(MAX_TTL);
    vote();
    expect(left).toEqual([true, true]);
  });

  it('is asked only what tells which server it is, where it may not be asked for more', async () => {
    const info = (section?: string): Promise<string> =>
      section === 'server' ? Promise.resolve(infoOf('abc')) : Promise.reject(NO_RIGHT);
    await noted.trust.examine(Object.assign(redisOf(''), { info }));
    expect([noted.trust.runId, vote(), noted.events]).toEqual(['abc', GRANTED, []]);
  });

  it('counts its votes where restarts do not count', async () => {
    const trust = noted.trustOf(false);
    await trust.examine(silent());
    expect([trust.countVote(GRANTED), left]).toEqual([GRANTED, []]);
  });

  it('leaves the connection for no other answer', async () => {
    await noted.trust.examine(silent());
    noted.trust.countVote(out(5));
    noted.trust.count({ kind: 'extended' });
    expect(left).toEqual([]);
  });

  it('does not forget that the clock of the one before it was set, once the address leads back', async () => {
    noted.answer = { ok: false, reason: 'connection closed', sent: true };
    await leadTo('abc');
    noted.hear(60_000);
    await noted.trust.examine(silent());
    await leadTo('abc');
    expect(noted.trust.countVote(GRANTED)).toEqual(out(MAX_TTL));
  });

  it('does not forget either that its own clock was set, once it says which one it is', async () => {
    await noted.trust.examine(silent());
    for (const ahead of [0, 60_000]) noted.hear(ahead);
    await leadTo('abc');
    expect(vote()).toEqual(out(MAX_TTL));
  });

  it('takes its clock for none of the server before it', async () => {
    await leadTo('abc');
    await noted.trust.examine(silent());
    noted.hear(60_000);
    await leadTo('abc');
    expect(noted.events.filter(({ type }) => type === 'node-quarantined')).toEqual([]);
  });

  it('is asked for its marker until it can answer, as for its run', async () => {
    await leadTo('abc');
    vote();
    jest.advanceTimersByTime(10 * MAX_TTL);
    // It became a node since, as after a restart, so that it may vote.
    const marker = `def|${(Date.now() - 5 * MAX_TTL) * 1_000}|${MAX_TTL}`;
    const answers: (Error | string)[] = [BUSY, BUSY, marker];
    const get = (): Promise<string> => {
      const answer = answers.shift()!;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    const known = noted.trust.examine(Object.assign(redisOf(infoOf('def')), { get }));
    await jest.advanceTimersByTimeAsync(250);
    await known;
    expect(vote()).toEqual(GRANTED);
  });

  it.each([NO_RIGHT, MASTERDOWN])('takes one whose marker cannot be read for one that has voted: %s', async (error) => {
    await leadTo('abc');
    vote();
    jest.advanceTimersByTime(10 * MAX_TTL);
    await noted.trust.examine(redisOf(infoOf('def'), error));
    expect(vote()).toEqual(out(MAX_TTL));
    expect(noted.sent).toEqual([['EVAL', DISTRUST, '1', 'p:~node', String(MAX_TTL), '0']]);
  });

  it('knows nothing where the connection breaks before the marker comes', async () => {
    await noted.trust.examine(redisOf(infoOf('abc'), new Error('Connection is closed.')));
    expect(noted.trust.obstacle).toMatch(/not known yet/);
  });
});
