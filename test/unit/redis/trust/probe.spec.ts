import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Moment } from '../../../../lib/core/time/clock.js';
import type { ProbeAnswer } from '../../../../lib/core/port/lock-node.js';
import { SystemClock } from '../../../../lib/core/time/system-clock.js';
import type { NodeAnswer } from '../../../../lib/redis/batch/reply-decoder.js';
import { BatchEncoder } from '../../../../lib/redis/batch/batch-encoder.js';
import { Probe } from '../../../../lib/redis/trust/probe.js';
import type { Reply } from '../../../../lib/redis/connection/wire/wire-command.js';
import { wordsOf } from '../../../support/command-words.js';

const TIME = 1_700_000_000_000;
const NOSCRIPT: Reply = { ok: false, reason: 'NOSCRIPT No matching script.', sent: true, refused: true };
const ok = (value: unknown): Reply => ({ ok: true, value });

describe('Probe', () => {
  let replies: Reply[];
  let sent: { name: string; words: string[] }[];
  let votes: NodeAnswer[];
  let heard: [Reply, Moment | undefined][];
  let obstacle: string | undefined;
  const clock = new SystemClock();

  const probed = (...said: Reply[]): Promise<ProbeAnswer> => {
    replies = said;
    const encoder = new BatchEncoder('p:', { maxTtl: 1_000, restartQuarantine: true }, clock);
    const trust = {
      obstacle,
      run: '$3\r\nabc\r\n',
      heard: (reply: Reply, at: Moment | undefined) => void heard.push([reply, at]),
      countVote: (vote: NodeAnswer) => (votes.push(vote), vote),
    };
    const send = (name: string, wire: string, settle: (reply: Reply) => void): void => {
      sent.push({ name, words: wordsOf(wire)[0]! });
      settle(replies.shift()!);
    };
    return new Promise((resolve) => new Probe(encoder, trust, { send, clock }).ask(resolve));
  };

  beforeEach(() => {
    [replies, sent, votes, heard, obstacle] = [[], [], [], [], undefined];
  });

  it('asks for a vote and gives it back in one script call, under a name that no resource can have', async () => {
    expect(await probed(ok(2 + 1_024 * TIME))).toEqual({ kind: 'up' });
    expect(sent.map(({ name }) => name)).toEqual(['evalsha']);
    const { words } = sent[0]!;
    expect(words.slice(2, 8)).toEqual(['5', 'p:~waiting', 'p:~node', 'p:~fence', 'p:~probe~node', 'p:~probe~node']);
    expect(words[9]).toBe('c@=A=R');
    expect(words).toContain('100');
    expect(votes).toMatchObject([{ kind: 'granted' }]);
    expect(heard).toEqual([[ok(2 + 1_024 * TIME), expect.objectContaining({ wall: expect.any(Number) })]]);
  });

  it('brings the script along where the node does not know it', async () => {
    expect(await probed(NOSCRIPT, ok(2 + 1_024 * TIME))).toEqual({ kind: 'up' });
    expect(sent.map(({ name }) => name)).toEqual(['evalsha', 'eval']);
  });

  it.each<[string, Reply, object]>([
    ['in quarantine', ok(['qn', 400, TIME]), { kind: 'quarantined', remaining: 400 }],
    ['that cannot be asked for its run id', ok(['qn', -1, TIME]), { kind: 'unknown', reason: /may not run INFO/ }],
    ['that is full', ok(['!n', 'OOM command not allowed', TIME]), { kind: 'refused', reason: /^OOM .* maxmemory/ }],
    ['that lets nobody delete', ok(['*!', 'NOPERM del', TIME]), { kind: 'refused', reason: /^NOPERM del - / }],
    [
      'that runs no scripts',
      { ok: false, reason: 'NOPERM evalsha', sent: true, refused: true },
      { kind: 'refused', reason: /^NOPERM evalsha - / },
    ],
    [
      'that is gone',
      { ok: false, reason: 'connection closed', sent: true },
      { kind: 'unknown', reason: /^connection closed$/, sent: true },
    ],
    ['whose key another client has', ok(['hn', 20, 'other', TIME]), { kind: 'up' }],
  ])('knows a node %s', async (_case, reply, answer) => {
    const expected = Object.entries(answer).map(([name, value]) => [
      name,
      value instanceof RegExp ? expect.stringMatching(value) : value,
    ]);
    expect(await probed(reply)).toMatchObject(Object.fromEntries(expected));
    expect(votes).toHaveLength(1);
  });

  it('takes the vote for what it counts as', async () => {
    obstacle = undefined;
    const encoder = new BatchEncoder('p:', { maxTtl: 1_000, restartQuarantine: true }, clock);
    const out = { kind: 'quarantined', remaining: 7 } as const;
    const trust = { obstacle, run: '$3\r\nabc\r\n', heard: () => undefined, countVote: () => out };
    const send = (_name: string, _wire: string, settle: (reply: Reply) => void): void => settle(ok(2));
    const answer = await new Promise((resolve) => new Probe(encoder, trust, { send, clock }).ask(resolve));
    expect(answer).toEqual(out);
  });

  it('asks nothing while the node is barred, and says why', async () => {
    obstacle = 'it leads to the same server as another';
    expect(await probed()).toEqual({ kind: 'barred', reason: obstacle });
    expect(sent).toEqual([]);
  });
});
