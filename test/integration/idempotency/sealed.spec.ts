import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { aesGcm, type Encryption, RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { eventually } from '../../support/eventually.js';
import { bills } from '../../support/nest/bills.js';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn } from '../../support/nest/nodes.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { OnceOnNodes, type ReplicaOnNodes } from '../../support/once-on-nodes.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';
import { call, codeOf, type RawReply } from './http-call.js';

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const sealing = aesGcm({ current: 'k1', keys: { k1: OLD } });
const rotated = aesGcm({ current: 'k2', keys: { k1: OLD, k2: NEW } });
const withoutOld = aesGcm({ current: 'k2', keys: { k2: NEW } });

const REPLY = { email: 'ann@example.org', token: 'a secret of hers' };

let servers: RedisServer[];

beforeAll(async () => {
  Logger.overrideLogger(false);
  servers = await startRedisServers(5);
});

afterAll(endAll);

/** The only key of a record besides these, once all nodes have it. */
const recordKey = async (...known: string[]): Promise<string> => {
  let key = '';
  await eventually(async () => {
    for (const { url } of servers) {
      const keys = (await withRedis(url, (redis) => redis.keys('lock:*~reply'))).filter((one) => !known.includes(one));
      expect(keys).toEqual([expect.stringContaining(key)]);
      key = keys[0]!;
    }
  });
  return key;
};

/** Everything that the nodes have under a key. */
const contents = (key: string): Promise<Record<string, string>[]> =>
  Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.hgetall(key))));

/** Copies a record by hand on all nodes, as somebody could who may write to them; `except` stays as it is. */
const copyRecord = (from: string, to: string, except: readonly string[] = []): Promise<unknown> =>
  Promise.all(
    servers.map(({ url }) =>
      withRedis(url, async (redis) => {
        const fields = Object.entries(await redis.hgetall(from)).filter(([name]) => !except.includes(name));
        await redis.hset(to, ...fields.flat());
      }),
    ),
  );

afterEach(async () => {
  await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.flushall())));
});

describe('a reply that is sealed', () => {
  const replicas = new OnceOnNodes();
  let runs: number;

  beforeEach(() => {
    runs = 0;
  });
  afterEach(() => replicas.close());

  const start = (encrypt?: Encryption): Promise<ReplicaOnNodes> =>
    replicas.start(servers, encrypt === undefined ? {} : { encrypt });
  const ask = ({ idempotency }: ReplicaOnNodes, key: string): Promise<typeof REPLY> =>
    idempotency.once(key, async () => {
      runs += 1;
      return REPLY;
    });

  it('shows the nodes nothing of what is in it', async () => {
    await ask(await start(sealing), 'user:1');
    expect(await recordKey()).toBe('lock:user:1~reply');
    for (const record of await contents('lock:user:1~reply'))
      for (const field of Object.values(record))
        for (const text of [field, Buffer.from(field, 'base64').toString('latin1')])
          for (const secret of [...Object.keys(REPLY), ...Object.values(REPLY)]) expect(text).not.toContain(secret);
  });

  it('cannot be read under the key of somebody else, whose call then does not run', async () => {
    await ask(await start(sealing), 'user:1');
    await recordKey();
    await copyRecord('lock:user:1~reply', 'lock:user:2~reply');
    const [one, two] = [await start(sealing), await start(rotated)];
    for (const replica of [one, two])
      await expect(ask(replica, 'user:2')).rejects.toMatchObject({ code: 'IDEMPOTENCY_REPLY_UNREADABLE' });
    expect(await ask(one, 'user:1')).toEqual(REPLY);
    expect(runs).toBe(1);
  });

  it('is replayed after the keys were changed, also by a replica that still seals with the old one', async () => {
    const old = await start(sealing);
    await ask(old, 'user:1');
    const changed = await start(rotated);
    expect(await ask(changed, 'user:1')).toEqual(REPLY);
    expect(await ask(old, 'user:1')).toEqual(REPLY);
    expect(runs).toBe(1);
  });

  it.each([
    ['by keys of which its own is gone', withoutOld],
    ['without any key', undefined],
  ])('cannot be read %s, and the call does not run', async (_how, encrypt) => {
    await ask(await start(sealing), 'user:1');
    const other = await start(encrypt);
    await expect(ask(other, 'user:1')).rejects.toMatchObject({ code: 'IDEMPOTENCY_REPLY_UNREADABLE' });
    expect(runs).toBe(1);
  });

  it('does not let one that is not sealed pass for one that is', async () => {
    await ask(await start(), 'user:1');
    await expect(ask(await start(sealing), 'user:1')).rejects.toMatchObject({ code: 'IDEMPOTENCY_REPLY_UNREADABLE' });
    expect(runs).toBe(1);
  });
});

describe('a sealed reply over HTTP', () => {
  const door = new Door();

  beforeEach(() => door.reset());
  afterEach(closeApps);

  const start = (encrypt: Encryption): Promise<TestApp> =>
    TestApp.start(
      'Express',
      bills(door, [poolOn(servers), RedlockIdempotencyModule.forRoot({ isGlobal: true, encrypt })]),
    );
  const ask = ({ url }: TestApp, key: string): Promise<RawReply> => call(url, 'bills', { key });

  it('is 500 under another key, and the handler does not run', async () => {
    const app = await start(sealing);
    await ask(app, 'mine');
    const mine = await recordKey();
    await ask(app, 'theirs');
    const theirs = await recordKey(mine);
    // The fingerprint that stands there stays: it is that of the request.
    await copyRecord(mine, theirs, ['f']);
    door.reset();
    const reply = await ask(app, 'theirs');
    expect([reply.status, codeOf(reply)]).toEqual([500, 'IDEMPOTENCY_REPLY_UNREADABLE']);
    expect(reply.text).not.toContain('secret of bill');
    expect(door.visits).toEqual([]);
  });
});
