import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LockView } from '../../../lib/cli/locks/lock-view.js';
import type { Lock } from '../../../lib/engine/lock.js';
import { asked, commandLine } from '../../support/command-line.js';
import { standing } from '../../support/node-lines.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { vouchFor } from '../../support/vouch.js';

interface Locks {
  readonly locks: readonly LockView[];
  readonly more: boolean;
}

const PREFIX = 'lock:';
const MAX_TTL = 600_000;
/** Gets what is held by hand-off only. */
const SLOTS = { limit: 3, ttl: 300_000, waitTimeout: 300_000, retryDelay: 300_000, retryJitter: 0 };

let pool: RedisPool;
let holder: RedisPoolClient;
let waiter: RedisPoolClient;

beforeAll(async () => {
  pool = await RedisPool.start(3);
  await Promise.all(pool.urls.map((url) => vouchFor(url, MAX_TTL, PREFIX)));
  const trust = { maxTtl: MAX_TTL, restartQuarantine: true };
  holder = await pool.client({ keyPrefix: PREFIX, trust });
  waiter = await pool.client({ keyPrefix: PREFIX, trust });
});
afterAll(() => pool.stop());

const list = (pattern: string, ...more: string[]) => asked<Locks>(pool.servers, 'ls', pattern, ...more);
const run = (...args: string[]) => commandLine([...args, '--nodes', pool.urls.join()]);

/** So many locks of one resource with slots, by their slots. */
async function taken(resource: string, count: number): Promise<Lock[]> {
  const locks: Lock[] = [];
  for (let each = 0; each < count; each += 1) locks.push(await holder.redlock.acquire(resource, SLOTS));
  return locks.sort((one, other) => one.slot! - other.slot!);
}

describe('nestjs-redlock, with locks that have slots,', () => {
  it('lists them below a line that says which slots are held', async () => {
    const locks = await taken('export', 2);
    await holder.redlock.acquire('exports', { ttl: 300_000 });
    const { out, code } = await run('ls', 'export*');
    expect(code).toBe(0);
    const [head, other, group, ...rows] = out.trimEnd().split('\n');
    expect([head, other]).toEqual([
      expect.stringMatching(/^RESOURCE +HOLDER/),
      expect.stringMatching(/^exports +node/),
    ]);
    expect(group).toMatch(new RegExp(`^export +2 slots held \\(${locks.map(({ slot }) => slot).join(', ')}\\)$`));
    expect(rows).toEqual(
      locks.map(({ slot }) => expect.stringMatching(new RegExp(`^export~${slot} +node on .* 3/3 +0 +a lock$`))),
    );
    expect(await list('export*')).toMatchObject({
      locks: [{ resource: 'exports' }, ...locks.map(({ slot, value }) => ({ resource: `export~${slot}`, value }))],
    });
    await Promise.all(locks.map((lock) => lock.release()));
  });

  it('finds them by the name of the resource, at once', async () => {
    const locks = await taken('report', 2);
    const resources = locks.map(({ slot }) => ({ resource: `report~${slot}` }));
    expect(await list('report')).toMatchObject({ locks: resources, more: false });
    expect(await list('report', '--limit', '1')).toMatchObject({ locks: resources.slice(0, 1), more: true });
    expect(await list('report', '--limit', '2')).toMatchObject({ locks: resources, more: false });
    expect(await list(`report~${locks[0]!.slot}`)).toMatchObject({ locks: resources.slice(0, 1) });
    await locks[0]!.release();
    // One slot says enough by itself.
    expect((await run('ls', 'report')).out).not.toContain('held');
    await locks[1]!.release();
  });

  it('shows a caller that waits at each slot, and one that wants all of them at the gate', async () => {
    const [lock] = await taken('index', 1);
    const all = waiter.redlock.acquire('index', { ...SLOTS, take: 'all' });
    await standing(pool, 1, `${PREFIX}index~${lock!.slot}`);
    const { locks } = await list('index');
    expect(locks.find(({ resource }) => resource === 'index~all')).toMatchObject({ held: true, kind: 'a lock' });
    const mine = { application: 'node', host: hostname(), pid: process.pid };
    expect(locks.find(({ resource }) => resource === `index~${lock!.slot}`)).toMatchObject({ waiters: [mine] });
    expect((await run('ls', 'index')).out).toMatch(/^index +3 slots held \(0, 1, 2\)\n(index~\d .*\n){3}index~all /m);
    await lock!.release();
    await (await all).release();
  });

  it('breaks one of them, which goes to the next in line, and leaves the others alone', async () => {
    const locks = await taken('broken', 3);
    const next = waiter.redlock.acquire('broken', SLOTS);
    await standing(pool, 1, `${PREFIX}broken~1`);
    const args = ['break', 'broken~1', '--yes', '--value', locks[1]!.value];
    expect(await asked(pool.servers, ...args)).toMatchObject({ code: 0, released: true });
    const given = await next;
    expect(given.slot).toBe(1);
    await expect(locks[1]!.extend()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await locks[0]!.extend();
    await locks[2]!.extend();
    await Promise.all([locks[0]!, locks[2]!, given].map((lock) => lock.release()));
  });

  it('says which slots there are where somebody wants to break the resource', async () => {
    const locks = await taken('whole', 2);
    const names = locks.map(({ slot }) => `whole~${slot}`).join(', ');
    const { code, out } = await commandLine(['break', 'whole', '--nodes', pool.urls.join()], { answer: () => 'yes' });
    expect([code, out]).toEqual([3, `whole has slots: give one of ${names}\n`]);
    expect(await list('whole')).toMatchObject({ locks: { length: 2 } });
    await Promise.all(locks.map((lock) => lock.release()));
  });

  it('finds nothing wrong with slots, gates and those who wait for them', async () => {
    const [lock] = await taken('sound', 1);
    const all = waiter.redlock.acquire('sound', { ...SLOTS, take: 'all' });
    await standing(pool, 1, `${PREFIX}sound~${lock!.slot}`);
    const { findings } = await asked<{ findings: { check: string }[] }>(
      pool.servers,
      'doctor',
      '--node-timeout',
      '1000',
    );
    expect(findings.filter(({ check }) => check !== 'version')).toEqual([]);
    await lock!.release();
    await (await all).release();
  });
});
