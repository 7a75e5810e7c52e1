import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import type { Moment } from '../../../lib/engine/clock.js';
import {
  memoryStore,
  nodesStore,
  postgresReplyTable,
  postgresStore,
  type ReplyStore,
} from 'nestjs-redlock/idempotency';
import { replyStoreContract } from '../../../lib/testing/reply-store-contract.js';
import { OnceOnNodes } from '../../support/once-on-nodes.js';
import { HAS_POSTGRES, startPostgres, type Postgres } from '../../support/postgres.js';
import { startRedisServers, stopAll } from '../../support/redis-server.js';

interface Kind {
  readonly name: string;
  /** Ms. */
  readonly patience?: number;
  start(): Promise<{ readonly store: ReplyStore; stop(): Promise<void> }>;
}

const KINDS: Kind[] = [
  { name: 'memoryStore', start: async () => ({ store: memoryStore(), stop: () => Promise.resolve() }) },
  { name: 'the nodes of the locks', patience: 60_000, start: startNodesOfLocks },
  { name: 'nodesStore', patience: 60_000, start: startNodesStore },
  ...(HAS_POSTGRES ? [{ name: 'postgresStore', patience: 60_000, start: startPostgresStore }] : []),
];

async function startNodesOfLocks(): Promise<{ store: ReplyStore; stop(): Promise<void> }> {
  const servers = await startRedisServers(3);
  const replicas = new OnceOnNodes();
  const { store } = await replicas.start(servers);
  const stop = async (): Promise<void> => {
    await replicas.close();
    await stopAll(servers);
  };
  return { store, stop };
}

async function startNodesStore(): Promise<{ store: ReplyStore; stop(): Promise<void> }> {
  const servers = await startRedisServers(3);
  const store = nodesStore({ nodes: servers.map(({ url }) => url), restartQuarantine: false, nodeTimeout: 3_000 });
  const stop = async (): Promise<void> => {
    await store.close();
    await stopAll(servers);
  };
  return { store, stop };
}

async function startPostgresStore(): Promise<{ store: ReplyStore; stop(): Promise<void> }> {
  const postgres: Postgres = await startPostgres();
  const pool = new Pool({ connectionString: postgres.url, max: 50 });
  await pool.query(postgresReplyTable());
  const stop = async (): Promise<void> => {
    await pool.end();
    await postgres.stop();
  };
  return { store: postgresStore({ query: (text, values) => pool.query(text, values) }), stop };
}

describe.each(KINDS)('$name', ({ start, patience }) => {
  let started: Awaited<ReturnType<Kind['start']>>;

  beforeAll(async () => {
    started = await start();
  }, patience);

  afterAll(() => started.stop());

  it.each(replyStoreContract(() => started.store).map(({ name, run }) => [name, run] as const))('%s', (_, run) =>
    run(),
  );
});

describe('memoryStore', () => {
  it('goes by the clock that it was given, and holds no more than what has not expired', async () => {
    let monotonic = 0;
    const store = memoryStore({ now: (): Moment => ({ monotonic, wall: 0 }) });
    const attempt = { token: 1, owner: 'one', fingerprint: null };
    for (let round = 0; round < 5; round += 1) {
      for (let index = 0; index < 2_000; index += 1) await store.open(`${round}:${index}`, attempt, 1_000);
      monotonic += 1_000;
    }
    monotonic -= 1;
    const keys: string[] = [];
    for await (const { key } of store.list('*', 100_000)) keys.push(key);
    expect(keys).toHaveLength(2_000);
    monotonic += 1;
    expect(await store.peek('4:0')).toEqual({ kind: 'none' });
  });
});

describe('replyStoreContract', () => {
  const broken = async (change: (store: ReplyStore) => Partial<ReplyStore>): Promise<string[]> => {
    const make = (): ReplyStore => {
      const store = memoryStore();
      const methods = ['peek', 'open', 'settle', 'clear', 'forget', 'describe', 'list'] as const;
      const bound = Object.fromEntries(methods.map((name) => [name, (store[name] as () => unknown).bind(store)]));
      return { ...bound, ...change(store) } as unknown as ReplyStore;
    };
    const checks = replyStoreContract(make).filter(({ name }) => !/keep/.test(name));
    const results = await Promise.allSettled(checks.map(({ run }) => run()));
    return results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as Error).message] : []));
  };

  it('says which law a store breaks', async () => {
    expect(await broken(() => ({}))).toEqual([]);
    expect(await broken(() => ({ forget: () => Promise.resolve(true) }))).toContainEqual(
      expect.stringMatching(/breaks the law "clear and forget of nothing .*": got true, expected false/),
    );
    const noPromise = (store: ReplyStore): Partial<ReplyStore> => ({
      settle: async (key, attempt, record, keep) => {
        await store.forget(key);
        return store.settle(key, attempt, record, keep);
      },
    });
    const messages = await broken(noPromise);
    expect(messages).toContainEqual(expect.stringContaining('settle is superseded if'));
    expect(messages).toContainEqual(expect.stringContaining('"one record"'));
  });
});
