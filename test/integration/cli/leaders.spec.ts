import { hostname } from 'node:os';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { firstValueFrom, filter } from 'rxjs';
import type { LockView } from '../../../lib/cli/locks/lock-view.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import type { Candidate } from '../../../lib/leader/candidate.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { REGISTER } from '../../../lib/redlock.tokens.js';
import { asked, commandLine } from '../../support/command-line.js';
import { eventually } from '../../support/eventually.js';
import { standing } from '../../support/node-lines.js';
import { realNodes } from '../../support/real-nodes.js';
import { RedisPool } from '../../support/redis-pool.js';
import { vouchFor } from '../../support/vouch.js';

const PREFIX = 'lock:';
const MAX_TTL = 30_000;
const ROLE = 'leader:bot';

let pool: RedisPool;
let services: RedlockService[];
let leader: Candidate;
let other: Candidate;

/** The service of one process. */
async function start(name: string): Promise<RedlockService> {
  const clock = new SystemClock();
  const trust = { maxTtl: MAX_TTL, restartQuarantine: true };
  const nodes = realNodes(pool.urls, clock, trust, PREFIX);
  const options = { maxTtl: MAX_TTL, nodeTimeout: 3_000 };
  const service = new RedlockService(nodes, options, { clock, mark: `${name}@${hostname()}#${process.pid}:${name}.` });
  services.push(service);
  await service.onModuleInit();
  return service;
}

const leads = (candidate: Candidate): Promise<boolean> =>
  firstValueFrom(candidate.leader$.pipe(filter((isLeader) => isLeader)));
const owner = async (): Promise<string | null> => (await pool.owners(PREFIX + ROLE))[0] ?? null;

beforeAll(async () => {
  Logger.overrideLogger(false);
  pool = await RedisPool.start(3);
  await Promise.all(pool.urls.map((url) => vouchFor(url, MAX_TTL, PREFIX)));
});
beforeEach(async () => {
  services = [];
  leader = (await start('one')).lead('bot', () => undefined, { ttl: 3_000 });
  await leads(leader);
  other = (await start('two')).lead('bot', () => undefined, { ttl: 3_000 });
  await standing(pool, 1, PREFIX + ROLE);
  await eventually(async () => expect(await services[1]!.leader('bot')).not.toBeNull());
});
afterEach(() => Promise.all(services.map((service) => service.onApplicationShutdown())));
afterAll(() => pool.stop());

describe('nestjs-redlock, while a process leads,', () => {
  it('lists who leads, and the candidates that wait', async () => {
    for (const pattern of [ROLE, 'leader:*']) {
      const { locks } = await asked<{ locks: readonly LockView[] }>(pool.servers, 'ls', pattern);
      expect(locks).toMatchObject([
        {
          resource: ROLE,
          kind: 'a lock',
          held: true,
          holder: { application: 'one' },
          waiters: [{ application: 'two' }],
        },
      ]);
      expect(locks).toHaveLength(1);
    }
    const { out } = await commandLine(['ls', '--nodes', pool.urls.join()]);
    expect(out).toMatch(/\nleader:bot +one on \S+, pid \d+ .* 3\/3 +1 +a lock\n$/);
  });

  it('breaks its leadership: the next candidate leads, and the term of the old leader ends', async () => {
    const term = leader.term!;
    const value = (await owner())!;
    const args = ['break', ROLE, '--yes', '--value', value];
    expect(await asked(pool.servers, ...args)).toMatchObject({ code: 0, released: true });
    await leads(other);
    expect(await term.ended).toBe('lost');
    expect(other.term!.number).toBeGreaterThan(term.number);
    expect([leader.isLeader, (await owner())!.startsWith('two@')]).toEqual([false, true]);
  });

  it('shows nothing of it as a reply, and forgets nothing of it', async () => {
    expect(await pool.ask(0, (redis) => redis.exists(`${PREFIX}${ROLE}~reply`))).toBe(1);
    for (const pattern of ['*', 'leader:*', ROLE])
      expect(await asked(pool.servers, 'replies', pattern)).toMatchObject({ code: 0, replies: [], more: false });
    expect(await asked(pool.servers, 'forget', ROLE, '--yes', '--force')).toMatchObject({
      code: 3,
      reason: `nothing is kept for ${ROLE}`,
    });
    expect(await services[1]!.leader('bot')).toMatchObject({ term: leader.term!.number });
  });

  it('shows a reply that an application keeps under such a name', async () => {
    const lock = await services[0]!.acquire('leader:like');
    const ballot = { token: lock.fencingToken, owner: lock.value, fingerprint: null };
    await services[0]![REGISTER].open('leader:like', ballot, 60_000);
    await services[0]![REGISTER].settle('leader:like', ballot, 'a reply', 60_000);
    await lock.release();
    expect(await asked(pool.servers, 'replies', 'leader:*')).toMatchObject({ replies: [{ key: 'leader:like' }] });
    expect(await asked(pool.servers, 'forget', 'leader:like', '--yes')).toMatchObject({ code: 0, forgotten: true });
  });

  it('finds nothing wrong', async () => {
    const args = ['doctor', '--node-timeout', '1000'];
    const { findings } = await asked<{ findings: { check: string }[] }>(pool.servers, ...args);
    expect(findings.filter(({ check }) => check !== 'version')).toEqual([]);
  });
});
