import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { standing } from '../../support/node-lines.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

/** Gets what is held by hand-off only. */
const IN_LINE = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };
const TRUST = { maxTtl: 60_000, restartQuarantine: false };

/** The words of the user that the documentation proposes. */
function rightsInDocs(): string[] {
  const text = readFileSync(new URL('../../../docs/waiting.md', import.meta.url), 'utf8');
  return /ACL SETUSER locks (.*?)```/s.exec(text)![1]!.trim().split(/\s+/);
}

describe('a user with the rights that the documentation lists, and no others', () => {
  let pool: RedisPool;
  let urls: string[];
  beforeAll(async () => {
    pool = await RedisPool.start(3);
    const rights = rightsInDocs();
    for (const server of pool.servers.keys()) {
      await pool.ask(server, (redis) => redis.acl('SETUSER', 'locks', ...rights));
      await pool.ask(server, (redis) => redis.acl('LOG', 'RESET'));
    }
    urls = pool.urls.map((url) => url.replace('redis://', 'redis://locks:secret@'));
  });
  afterAll(() => pool.stop());

  const client = (restartQuarantine = false): Promise<RedisPoolClient> =>
    pool.client({ nodes: urls, keyPrefix: 'lock:', trust: { ...TRUST, restartQuarantine } });

  it('takes, extends, hands over and gives back, and is refused nothing', async () => {
    const [one, two, three] = [await client(), await client(), await client()];
    const resource = pool.resource();
    const first = await one.redlock.acquire(resource, IN_LINE);
    const second = two.redlock.acquire(resource, IN_LINE);
    await standing(pool, 1, `lock:${resource}`);
    const waiting = three.redlock.acquire(resource, IN_LINE);
    await standing(pool, 2, `lock:${resource}`);
    await first.extend();
    await first.release();
    await (await second).release();
    const last = await waiting;
    await last.release();
    await (await one.redlock.acquire([resource, pool.resource()], IN_LINE)).release();
    await expect(one.redlock.status()).resolves.toMatchObject({ nodes: Array(3).fill({ votes: true }) });
    await (await client(true)).redlock.acquire(resource, { waitTimeout: 0 }).catch(() => undefined);
    for (const server of pool.servers.keys()) {
      expect(await pool.ask(server, (redis) => redis.acl('LOG'))).toEqual([]);
    }
    expect([one, two, three].flatMap(({ events }) => events.filter(({ type }) => type.startsWith('hand-off')))).toEqual(
      [],
    );
  });
});
