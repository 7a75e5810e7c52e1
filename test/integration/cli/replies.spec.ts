import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReplyView } from '../../../lib/cli/replies/reply-view.js';
import { asked, commandLine } from '../../support/command-line.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { grantRights, rightsInDocs } from '../../support/rights.js';

interface Replies {
  readonly answered: number;
  readonly replies: readonly ReplyView[];
  readonly more: boolean;
}

interface Forgotten {
  readonly forgotten: boolean;
  readonly reason?: string;
  readonly nodes?: readonly { readonly kind: string }[];
}

const PREFIX = 'lock:';
const KEEP = 600_000;
const SECRET = 'a reply that nobody is to see';

let pool: RedisPool;
let client: RedisPoolClient;
const others: RedisPool[] = [];

beforeAll(async () => {
  pool = await RedisPool.start(3);
  client = await pool.client({ keyPrefix: PREFIX });
});
afterAll(() => Promise.all([pool, ...others].map((one) => one.stop())));

const list = (pattern: string, ...more: string[]) => asked<Replies>(pool.servers, 'replies', pattern, ...more);
const forget = (key: string, ...more: string[]) => asked<Forgotten>(pool.servers, 'forget', key, '--yes', ...more);
const copies = (key: string): Promise<number[]> =>
  Promise.all(pool.servers.map((_, server) => pool.ask(server, (redis) => redis.exists(`${PREFIX}${key}~reply`))));

/** What an attempt does: opens the key under its lock, and keeps a reply unless it dies. */
async function attempt(key: string, record?: string): Promise<void> {
  const lock = await client.redlock.acquire(key);
  const ballot = { token: lock.fencingToken, owner: lock.value, fingerprint: null };
  await client.redlock.register.open(key, ballot, KEEP);
  if (record !== undefined) await client.redlock.register.settle(key, ballot, record, KEEP);
  await lock.release();
}

describe('nestjs-redlock replies', () => {
  it('shows what is kept and how many copies there are, and never a reply', async () => {
    await attempt('order:1', SECRET);
    await attempt('order:2');
    await attempt('order:3', SECRET);
    await pool.ask(2, (redis) => redis.del(`${PREFIX}order:3~reply`));
    const listed = await list('order:*');
    const holder = { application: 'node', host: hostname(), pid: process.pid };
    expect(listed).toMatchObject({
      code: 0,
      answered: 3,
      more: false,
      replies: [
        { key: 'order:1', state: 'kept', copies: 3, attempts: 1, size: SECRET.length, holder },
        { key: 'order:2', state: 'running', copies: 0, attempts: 1, size: 0, holder },
        { key: 'order:3', state: 'thin', copies: 2, attempts: 1, size: SECRET.length, holder },
      ],
    });
    for (const { age } of listed.replies) expect(age).toBeLessThan(60_000);
    for (const { expiresIn } of listed.replies.filter(({ copies: count }) => count > 0)) {
      expect(expiresIn).toBeGreaterThan(KEEP - 60_000);
      expect(expiresIn).toBeLessThanOrEqual(KEEP);
    }
    expect(JSON.stringify(listed)).not.toContain(SECRET);
  });

  it('has a table for people', async () => {
    await attempt('bill:1', SECRET);
    const { code, out } = await commandLine(['replies', 'bill:1', '--nodes', pool.urls.join()]);
    expect(code).toBe(0);
    expect(out).toMatch(/^KEY +STATE +COPIES +AGE +EXPIRES IN +ATTEMPTS +BYTES +BY\n/);
    expect(out).toMatch(/\nbill:1 +kept +3\/3 +[\d.]+ m?s +9 min 5\d s +1 +29 +node on .*, pid \d+\n$/);
    const none = await commandLine(['replies', 'bill:2', '--nodes', pool.urls.join()]);
    expect(none).toMatchObject({ code: 0, out: 'No replies are kept for bill:2.\n' });
  });

  it('needs no more rights than the locks, and SCAN for a pattern', async () => {
    await attempt('right:1', SECRET);
    const nodes = await grantRights(pool, [...rightsInDocs(), '+scan']);
    const listed = await asked<Replies>(
      nodes.map((url) => ({ url })),
      'replies',
      'right:*',
    );
    expect(listed).toMatchObject({ code: 0, replies: [{ key: 'right:1', copies: 3, size: SECRET.length }] });
  });

  it('stops at its limit, and says so', async () => {
    await Promise.all(['1', '2', '3'].map((each) => attempt(`many:${each}`, SECRET)));
    expect(await list('many:*', '--limit', '2')).toMatchObject({ more: true, replies: { length: 2 } });
  });

  it('says which nodes are missing, and passes over data of other programs', async () => {
    const broken = await RedisPool.start(3);
    others.push(broken);
    await broken.plant(0, `${PREFIX}text~reply`);
    await broken.servers[2]!.kill();
    const listed = await asked<Replies>(broken.servers, 'replies');
    expect(listed).toMatchObject({ code: 1, answered: 2, replies: [] });
    const { out } = await commandLine(['replies', '--nodes', broken.urls.join()]);
    expect(out).toMatch(/^2 of 3 nodes answered: more may be kept on the others\.\n! .* does not count: /);
  });

  it('keeps replies out of the list of locks, and out of what doctor calls foreign', async () => {
    await attempt('locked:1', SECRET);
    expect(await asked<{ locks: unknown[] }>(pool.servers, 'ls', 'locked:*')).toMatchObject({ locks: [] });
    expect(await asked<{ locks: unknown[] }>(pool.servers, 'ls', 'locked:1~reply')).toMatchObject({ locks: [] });
    const { findings } = await asked<{ findings: { check: string }[] }>(pool.servers, 'doctor');
    expect(findings.map(({ check }) => check)).not.toContain('foreign keys');
  });
});

describe('nestjs-redlock forget', () => {
  it('shows what is kept, says that the next duplicate runs again, asks, and removes it from all nodes', async () => {
    await attempt('a', SECRET);
    const questions: string[] = [];
    const answer = (word: string) => (question: string) => {
      questions.push(question);
      return word;
    };
    const args = ['forget', 'a', '--nodes', pool.urls.join()];
    const refused = await commandLine(args, { answer: answer('no') });
    expect(refused).toMatchObject({ code: 3, out: expect.stringMatching(/nothing was removed\n$/) });
    expect(await copies('a')).toEqual([1, 1, 1]);
    const { code, out } = await commandLine(args, { answer: answer('yes') });
    expect(code).toBe(0);
    expect(out).toMatch(/^KEY .*\na +kept +3\/3 .*The next duplicate of the request runs again/s);
    expect(out).toMatch(/Removed from 3 of 3 nodes\. The next duplicate runs again\.\n$/);
    expect(out).not.toContain(SECRET);
    expect(questions).toEqual(Array(2).fill('Forget the reply for a? [yes/no] '));
    expect(await copies('a')).toEqual([0, 0, 0]);
  });

  it('refuses while an attempt runs, or has died in its work, unless it is forced', async () => {
    await attempt('dead');
    const refused = { code: 3, forgotten: false, reason: expect.stringContaining('give --force') };
    expect(await forget('dead')).toMatchObject(refused);
    expect(await copies('dead')).toEqual([1, 1, 1]);
    const forgotten = { code: 0, forgotten: true, nodes: Array(3).fill({ kind: 'forgotten' }) };
    expect(await forget('dead', '--force')).toMatchObject(forgotten);
    await attempt('busy', SECRET);
    const lock = await client.redlock.acquire('busy');
    expect(await forget('busy')).toMatchObject(refused);
    const seen = await commandLine(['forget', 'busy', '--force', '--nodes', pool.urls.join()], { answer: () => 'no' });
    expect(seen.out).toContain('it writes its reply again when it ends');
    expect(await forget('busy', '--force')).toMatchObject(forgotten);
    await lock.release();
  });

  it('has a code for what is not there, for no quorum, and for a wrong use', async () => {
    expect(await forget('nothing')).toMatchObject({ code: 3, forgotten: false, reason: 'nothing is kept for nothing' });
    expect(await commandLine(['forget', 'a', '--nodes', pool.urls.join()])).toMatchObject({
      code: 64,
      err: expect.stringContaining('give --yes'),
    });
    const broken = await RedisPool.start(3);
    others.push(broken);
    await Promise.all(broken.servers.slice(1).map((server) => server.kill()));
    expect(await asked<Forgotten>(broken.servers, 'forget', 'a', '--yes')).toMatchObject({
      code: 2,
      reason: expect.stringContaining('is unknown'),
    });
  });
});
