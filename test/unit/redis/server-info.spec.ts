import { describe, expect, it } from '@jest/globals';
import { markerOn, readExamination } from '../../../lib/redis/server-info.js';

const RUN = 'f'.repeat(40);

/** A reply to INFO, as a healthy master gives it but for these fields. */
function infoOf(fields: Record<string, string> = {}): string {
  const all = {
    redis_version: '7.0.15',
    run_id: RUN,
    role: 'master',
    cluster_enabled: '0',
    maxmemory: '0',
    maxmemory_policy: 'noeviction',
  };
  const lines = Object.entries({ ...all, ...fields }).map(([name, value]) => `${name}:${value}`);
  return ['# Server', ...lines, 'executable:/usr/bin:x', ''].join('\r\n');
}

const TRUST = { maxTtl: 1_000, restartQuarantine: true };
const foundOn = (info: string, marker: string | null = null) => ({ info, marker, isUsed: false });
const warningsOf = (fields: Record<string, string>, marker: string | null = null): readonly string[] =>
  readExamination(foundOn(infoOf(fields), marker), TRUST).warnings;

describe('markerOn', () => {
  const replyError = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });
  const failing = (error: Error) => ({ get: () => Promise.reject(error) });

  it.each([
    replyError('BUSY Redis is busy'),
    replyError('LOADING Redis is loading'),
    new Error('Connection is closed.'),
  ])('throws the error of a node that cannot answer now: %s', async (error) => {
    await expect(markerOn(failing(error), 'key')).rejects.toBe(error);
  });

  it('returns undefined where it may not read the marker', async () => {
    await expect(markerOn(failing(replyError('NOPERM no permissions')), 'key')).resolves.toBeUndefined();
  });
});

describe('readExamination', () => {
  it('reads the run id of the node, and does not warn of a healthy master', () => {
    expect(readExamination(foundOn(infoOf()), TRUST)).toEqual({
      server: { run: RUN, hasVoted: false },
      forgetsScripts: true,
      warnings: [],
    });
  });

  it('reads whether this run has voted before, by its marker', () => {
    const hasVoted = (marker: string | null | undefined): boolean =>
      readExamination({ info: infoOf(), marker, isUsed: false }, TRUST).server.hasVoted;
    expect([hasVoted(`${RUN}|5000000|1000`), hasVoted('abc|5000000|1000'), hasVoted(null)]).toEqual([
      true,
      false,
      false,
    ]);
    // A marker that cannot be read may be one of this run.
    expect(hasVoted(undefined)).toBe(true);
  });

  it('reads lines with the line ends of another system', () => {
    expect(readExamination(foundOn(infoOf().replaceAll('\r\n', '\n')), TRUST)).toEqual({
      server: { run: RUN, hasVoted: false },
      forgetsScripts: true,
      warnings: [],
    });
  });

  it('makes do with a node that tells nothing', () => {
    expect(readExamination(foundOn(''), TRUST)).toEqual({
      server: { run: undefined, hasVoted: false },
      forgetsScripts: false,
      warnings: [],
    });
  });

  it.each([
    ['6.2.14', false],
    ['7.0.0', true],
    ['7.2.4', true],
    ['10.0.1', true],
    ['', false],
  ])('knows whether a new run of version "%s" forgets scripts: %s', (redis_version, forgetsScripts) => {
    expect(readExamination(foundOn(infoOf({ redis_version })), TRUST)).toMatchObject({ forgetsScripts });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a replica', { role: 'slave' }, /replica: it refuses locks, and a promotion loses those.*independent masters/],
    ['cluster mode', { cluster_enabled: '1' }, /cluster mode: locks .* fail, and a failover loses locks/],
    [
      'a node that evicts',
      { maxmemory: '1000000', maxmemory_policy: 'volatile-lru' },
      /evicts keys .*\(maxmemory-policy volatile-lru\): locks could vanish while they are held; set noeviction/,
    ],
  ])('warns of %s, in words that say what could go wrong', (_case, fields, words) => {
    expect(warningsOf(fields)).toEqual([expect.stringMatching(words)]);
  });

  it.each<[string, Record<string, string>]>([
    ['memory is limited, and nothing is evicted', { maxmemory: '1000000' }],
    ['a policy is set, and memory is not limited', { maxmemory_policy: 'allkeys-lru' }],
  ])('does not warn where %s', (_case, fields) => {
    expect(warningsOf(fields)).toEqual([]);
  });

  it.each([500, 2_000])('warns of clients with a maxTtl of %i ms, and names both', (theirs) => {
    expect(warningsOf({}, `${RUN}|1700000000000000|${theirs}`)).toEqual([
      expect.stringMatching(
        new RegExp(
          `maxTtl of ${theirs} ms, and this client uses 1000: the greater one counts.*DEL <keyPrefix>~node .*ends this`,
        ),
      ),
    ]);
  });

  it('does not warn of clients with the same maxTtl', () => {
    expect(warningsOf({}, `${RUN}|1700000000000000|1000`)).toEqual([]);
  });

  describe('of clients that do not agree on restartQuarantine', () => {
    const marker = `${RUN}|1700000000000000|1000`;
    const found = (restartQuarantine: boolean, findings: { marker?: string | null; isUsed?: boolean }) =>
      readExamination({ info: infoOf(), marker: null, isUsed: false, ...findings }, { ...TRUST, restartQuarantine })
        .warnings;

    it('warns the one without it, where others have noted this run of the node', () => {
      expect(found(false, { marker, isUsed: true })).toEqual([
        expect.stringMatching(
          /other clients have restartQuarantine on, and this client has it off.*set the same everywhere.*DEL <keyPrefix>~node .*ends this$/,
        ),
      ]);
    });

    it('warns the one with it, where others took locks and noted no run', () => {
      expect(found(true, { isUsed: true })).toEqual([
        expect.stringMatching(
          /clients with restartQuarantine: false use or used it.*Set restartQuarantine alike in all clients.*is not repeated$/,
        ),
      ]);
    });

    it.each<[string, boolean, { marker?: string | null; isUsed?: boolean }]>([
      ['has it, and so have others', true, { marker, isUsed: true }],
      ['has it, and the node is new', true, {}],
      ['has it, and the node was restarted', true, { marker: `${'0'.repeat(40)}|1700000000000000|1000`, isUsed: true }],
      ['has it not, and neither have others', false, { isUsed: true }],
      ['has it not, and others had it before a restart', false, { marker: `${'0'.repeat(40)}|1700000000000000|1000` }],
    ])('does not warn a client that %s', (_who, restartQuarantine, findings) => {
      expect(found(restartQuarantine, findings)).toEqual([]);
    });
  });

  it('warns of everything that is wrong', () => {
    const wrong = { role: 'slave', cluster_enabled: '1', maxmemory: '1', maxmemory_policy: 'allkeys-lru' };
    expect(warningsOf(wrong, `${RUN}|1700000000000000|500`)).toHaveLength(4);
  });
});
