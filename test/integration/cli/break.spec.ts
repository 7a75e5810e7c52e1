import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { asked, commandLine } from '../../support/command-line.js';
import { standing } from '../../support/node-lines.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { vouchFor } from '../../support/vouch.js';

interface Broken {
  readonly released: boolean;
  readonly reason?: string;
  readonly after?: { readonly value?: string };
  readonly nodes: readonly { readonly kind: string }[];
}

const PREFIX = 'lock:';
const MAX_TTL = 600_000;
/** Gets what is held by hand-off only. */
const IN_LINE = { ttl: 300_000, waitTimeout: 300_000, retryDelay: 300_000, retryJitter: 0 };
const TRUST = { maxTtl: MAX_TTL, restartQuarantine: true };

let pool: RedisPool;
let holder: RedisPoolClient;
let waiter: RedisPoolClient;

beforeAll(async () => {
  pool = await RedisPool.start(3);
  await Promise.all(pool.urls.map((url) => vouchFor(url, MAX_TTL, PREFIX)));
  holder = await pool.client({ keyPrefix: PREFIX, trust: TRUST });
  waiter = await pool.client({ keyPrefix: PREFIX, trust: TRUST });
});
const others: RedisPool[] = [];

afterAll(() => Promise.all([pool, ...others].map((one) => one.stop())));

const markers = (): Promise<(string | null)[]> => pool.owners(`${PREFIX}~node`);
const breaking = (resource: string, value: string) =>
  asked<Broken>(pool.servers, 'break', resource, '--yes', '--value', value);

/** A lock, and a caller that waits for it. */
async function contended(resource: string): Promise<{ lock: Lock; next: Promise<Lock> }> {
  const lock = await holder.redlock.acquire(resource, IN_LINE);
  const next = waiter.redlock.acquire(resource, IN_LINE);
  await standing(pool, 1, `${PREFIX}${resource}`);
  return { lock, next };
}

describe('nestjs-redlock break', () => {
  it('gives the lock to the next in line in the same step, and changes nothing else on the nodes', async () => {
    const resource = pool.resource();
    const { lock, next } = await contended(resource);
    const before = await markers();
    const broken = await breaking(resource, lock.value);
    const taken = await next;
    expect(broken).toMatchObject({ code: 0, released: true, nodes: Array(3).fill({ kind: 'released' }) });
    expect(broken.after!.value).toBe(taken.value);
    expect(taken.fencingToken).toBeGreaterThan(lock.fencingToken);
    await expect(lock.extend()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(await pool.owners(`${PREFIX}${resource}`)).toEqual(Array(3).fill(taken.value));
    expect(await markers()).toEqual(before);
    await taken.release();
  });

  it('shows the holder, says what breaking does not do, and asks', async () => {
    const resource = pool.resource();
    const { lock, next } = await contended(resource);
    const questions: string[] = [];
    const answer = (word: string) => (question: string) => {
      questions.push(question);
      return word;
    };
    const args = ['break', resource, '--nodes', pool.urls.join()];
    const refused = await commandLine(args, { answer: answer('no') });
    expect(refused).toMatchObject({ code: 3, out: expect.stringMatching(/nothing was released\n$/) });
    expect(await pool.owners(`${PREFIX}${resource}`)).toEqual(Array(3).fill(lock.value));
    const { code, out } = await commandLine(args, { answer: answer('yes') });
    expect(code).toBe(0);
    expect(out).toContain(`pid ${process.pid}`);
    expect(out).toMatch(/This does not stop the holder.*Only the fencing token/s);
    expect(out).toMatch(/Released on 3 of 3 nodes\. It is with node on .*, pid \d+ now, 3 of 3 votes\.\n$/);
    expect(questions).toEqual(Array(2).fill(`Release the value ${lock.value}? [yes/no] `));
    await (await next).release();
  });

  it('releases no other value than the one that it is told', async () => {
    const resource = pool.resource();
    const lock = await holder.redlock.acquire(resource, IN_LINE);
    const other = `${lock.value.slice(0, -1)}~`;
    expect(await breaking(resource, other)).toMatchObject({
      code: 3,
      released: false,
      reason: expect.stringContaining('another value'),
    });
    await lock.extend();
    await lock.release();
  });

  it('does not release what the next holder has by the time it is told to', async () => {
    const resource = pool.resource();
    const { lock, next } = await contended(resource);
    const args = ['break', resource, '--nodes', pool.urls.join()];
    let taken: Lock | undefined;
    const broken = commandLine(args, { answer: () => 'yes' });
    await lock.release();
    taken = await next;
    await broken;
    // Whichever of the two values was shown: only that one was released.
    const owners = await pool.owners(`${PREFIX}${resource}`);
    expect([taken.value, null]).toEqual(expect.arrayContaining(owners));
    await taken.release();
  });

  it('does nothing where nobody holds it, and leaves data of others alone', async () => {
    expect(await breaking('nobody', 'x')).toMatchObject({ code: 3, released: false, reason: 'nobody holds nobody' });
    await pool.ask(0, (redis) => redis.hset(`${PREFIX}hash`, 'a', '1'));
    const { code, out } = await commandLine(['break', 'hash', '--nodes', pool.urls.join()], { answer: () => 'yes' });
    expect([code, out]).toEqual([3, 'hash is a hash: Redisson?, which this command does not touch\n']);
    expect(await pool.ask(0, (redis) => redis.exists(`${PREFIX}hash`))).toBe(1);
    await pool.ask(0, (redis) => redis.del(`${PREFIX}hash`));
  });

  it('releases a lock of another library that never ends', async () => {
    const resource = pool.resource();
    for (const server of [0, 1, 2]) await pool.plant(server, `${PREFIX}${resource}`);
    const waiting = waiter.redlock.acquire(resource, IN_LINE);
    await standing(pool, 1, `${PREFIX}${resource}`);
    expect(await breaking(resource, 'foreign')).toMatchObject({ code: 0, released: true });
    await (await waiting).release();
  });

  it.each<[string, string[], RegExp]>([
    ['without a terminal', [], /there is no terminal: give --yes --value/],
    ['with --yes and no value', ['--yes'], /--yes takes --value/],
    ['with a value and no terminal', ['--value', 'x'], /there is no terminal/],
  ])('refuses %s', async (_case, more, words) => {
    const { code, err } = await commandLine(['break', 'a', '--nodes', pool.urls.join(), ...more]);
    expect(code).toBe(64);
    expect(err).toMatch(words);
  });

  it('begins no quarantine on nodes whose clients have none', async () => {
    const own = await RedisPool.start(3);
    others.push(own);
    const [first, second] = await Promise.all([1, 2].map(() => own.client({ keyPrefix: PREFIX })));
    const lock = await first!.redlock.acquire('a', IN_LINE);
    const next = second!.redlock.acquire('a', IN_LINE);
    await standing(own, 1, `${PREFIX}a`);
    await own.servers[2]!.kill();
    expect(await asked<Broken>(own.servers, 'break', 'a', '--yes', '--value', lock.value)).toMatchObject({
      code: 1,
      released: true,
    });
    await (await next).release();
    expect(await own.owners(`${PREFIX}~node`, [0, 1])).toEqual([null, null]);
  });
});

describe('nestjs-redlock break, if nodes do not answer', () => {
  it('never says that nobody holds a lock unless a quorum answers', async () => {
    const own = await RedisPool.start(3);
    others.push(own);
    const run = (resource: string, ...more: string[]) =>
      commandLine(['break', resource, '--nodes', own.urls.join(), ...more], { answer: () => 'yes' });
    await own.servers[0]!.kill();
    const known = await run('a');
    expect(known.code).toBe(3);
    expect(known.out).toMatch(/^nobody holds a\n! redis:\S+ does not count: connect ECONNREFUSED/);
    await own.servers[1]!.kill();
    const words = 'whether anybody holds a is unknown: 1 of 3 nodes answered, and a lock needs 2';
    const unknown = await run('a');
    expect(unknown.code).toBe(2);
    expect(unknown.out).toMatch(new RegExp(`^${words}\\n(! .*\\n){2}$`));
    const other = await asked<Broken>(own.servers, 'break', 'a', '--yes', '--value', 'v');
    expect(other).toMatchObject({ code: 2, released: false, reason: words });
    await own.ask(2, (redis) => redis.set(`${PREFIX}a`, 'another', 'PX', 60_000));
    expect(await asked<Broken>(own.servers, 'break', 'a', '--yes', '--value', 'v')).toMatchObject({
      code: 2,
      reason: words,
    });
    await own.servers[2]!.kill();
    expect((await run('a')).out).toMatch(/^whether anybody holds a is unknown: 0 of 3 nodes answered/);
  });

  it('releases what it can, and says that the rest is unknown', async () => {
    const own = await RedisPool.start(3);
    others.push(own);
    for (const server of [0, 1, 2]) await own.plant(server, `${PREFIX}a`, { ttl: 60_000 });
    await own.servers[0]!.kill();
    await own.servers[1]!.kill();
    const args = ['break', 'a', '--nodes', own.urls.join()];
    const { code, out } = await commandLine(args, { answer: () => 'yes' });
    expect(code).toBe(2);
    expect(out).toContain('Released on 1 of 3 nodes. Who has it now is unknown: 1 of 3 nodes answered.\n! ');
    expect(await own.ask(2, (redis) => redis.get(`${PREFIX}a`))).toBeNull();
  });

  it('gives the operator as much time as the question takes', async () => {
    const own = await RedisPool.start(1);
    others.push(own);
    await own.plant(0, `${PREFIX}a`, { ttl: 60_000 });
    const args = ['break', 'a', '--nodes', own.urls.join(), '--timeout', '2000'];
    const answer = (): string => {
      // Longer than the command itself may take.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
      return 'yes';
    };
    expect(await commandLine(args, { answer })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Released on 1 of 1 nodes\. Nobody has it now\.\n$/),
    });
  });
});
