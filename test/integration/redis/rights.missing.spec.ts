import { afterAll, describe, expect, it } from '@jest/globals';
import { RedlockError } from '../../../lib/engine/errors.js';
import { eventually } from '../../support/eventually.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { serverPrograms, stopAll } from '../../support/redis-server.js';
import { grantRights, missingInDocs, rightsInDocs } from '../../support/rights.js';
import { vouchFor } from '../../support/vouch.js';

const MAX_TTL = 60_000;
const TRUST = { maxTtl: MAX_TTL, restartQuarantine: true };
const SOON = { waitTimeout: 2_000, retryDelay: 50, retryJitter: 0, ttl: 5_000 };
/** Words by which a reason names a missing right. */
const PLAIN = /NOPERM|can't run this command|can't access|may not run INFO|No permissions/i;

/** What is seen without a right, by what the documentation says of it. */
const SEEN: Readonly<Record<string, object>> = {
  'no votes': { votes: false, handOff: true, isTold: true },
  logged: { votes: true, handOff: true, isTold: true },
  'no hand-off': { votes: true, handOff: false, isTold: true },
  'not logged': { votes: true, handOff: true, isTold: false },
};

/** What came of calls of a user without a right. */
interface Findings {
  readonly free: string;
  readonly waiting: string;
  readonly several: string;
  /** Of locks that are asked for in one turn. */
  readonly together: string;
  readonly handOff: boolean;
  readonly votes: boolean;
}

describe.each(serverPrograms())('on %s, a user without one of the rights that the documentation lists', (program) => {
  const rights = rightsInDocs();
  afterAll(() => stopAll());
  const isOne = (word: string): boolean => /^[+~&]/.test(word);
  const outcome = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'given',
      (error: unknown) => {
        if (!(error instanceof RedlockError)) throw error;
        return `${error.code}: ${error.message}`;
      },
    );
  const reasonsOf = ({ events }: RedisPoolClient): string[] =>
    events.flatMap((event) => ('reason' in event ? (event.reason ?? []) : []));
  const client = (pool: RedisPool, nodes: readonly string[]): Promise<RedisPoolClient> =>
    pool.client({ nodes, keyPrefix: 'lock:', trust: TRUST });

  const find = async (
    pool: RedisPool,
    right: string,
  ): Promise<{ readonly findings: Findings; readonly reasons: readonly string[] }> => {
    await vouchFor(pool.urls[0]!, MAX_TTL, 'lock:');
    // Another user has brought the scripts to the node.
    const { redlock } = await client(pool, await grantRights(pool, rights));
    await redlock.withLock(pool.resource(), () => undefined);
    const nodes = await grantRights(
      pool,
      rights.filter((word) => word !== right),
    );
    const [one, two] = [await client(pool, nodes), await client(pool, nodes)];
    const [status] = (await one.redlock.status()).nodes;
    const resource = pool.resource();
    const taken = await one.redlock.acquire(resource, SOON).catch((error: unknown) => error as RedlockError);
    const free = taken instanceof RedlockError ? `${taken.code}: ${taken.message}` : 'given';
    // Where the user cannot hold a lock, another one does.
    if (taken instanceof RedlockError) await pool.plant(0, `lock:${resource}`, { ttl: 1_500 });
    const waited = outcome(two.redlock.acquire(resource, SOON).then((lock) => lock.release()));
    await eventually(() => expect(two.count('contended') + reasonsOf(two).length).toBeGreaterThan(0)).catch(
      () => undefined,
    );
    if (!(taken instanceof RedlockError)) await taken.release();
    const [waiting, several, together] = await Promise.all([
      waited,
      outcome(one.redlock.acquire([pool.resource(), pool.resource()], SOON)),
      outcome(Promise.all(Array.from({ length: 12 }, () => one.redlock.acquire(pool.resource(), SOON)))),
    ]);
    const handOff = one.count('hand-off-unavailable') === 0;
    const findings = { free, waiting, several, together, handOff, votes: status!.votes };
    return { findings, reasons: [...reasonsOf(one), ...reasonsOf(two), status!.reason ?? ''] };
  };

  it('is what the documentation has a row for, right by right', () => {
    expect([...missingInDocs().keys()].sort()).toEqual(rights.filter(isOne).sort());
  });

  // They mostly wait, so that several are tried at the same time, each on a node of its own.
  it.concurrent.each(rights.filter(isOne))('%s: it is as the documentation says', async (right) => {
    const pool = await RedisPool.start(1, { program });
    const { findings, reasons } = await find(pool, right);
    await pool.stop();
    const told = [...reasons, ...Object.values(findings).map(String)].join('\n');
    const kind = missingInDocs().get(right);
    const seen = { votes: findings.votes, handOff: findings.handOff, isTold: PLAIN.test(told) };
    expect([kind, seen]).toEqual([kind, SEEN[kind!]]);
    // A call fails by an error of the lock, and a free lock is given wherever the node votes.
    if (findings.votes) expect(findings.free).toBe('given');
    if (kind === 'no hand-off') expect([findings.waiting, findings.several]).toEqual(['given', 'given']);
  });
});
