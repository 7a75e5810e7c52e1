import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, LockNode, Operation } from '../../../lib/engine/lock-node.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';
import { NodeClient } from '../../support/node-client.js';
import { realNodes } from '../../support/real-nodes.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServer, stopAll, type RedisServer } from '../../support/redis-server.js';
import { TRUSTING } from '../../support/trust.js';

const KEEP = 50_000;
const [A, B] = [
  { token: 10, value: 'p.1', fingerprint: 'fa' },
  { token: 11, value: 'p.2', fingerprint: 'fb' },
];
type Terms = { readonly token: number; readonly value: string; readonly fingerprint: string | null };
const open = (resource: string, terms: Terms, ttl = KEEP): Operation => ({ kind: 'open', resource, ttl, ...terms });
const settle = (resource: string, terms: Terms, record: string, ttl = KEEP): Operation => ({
  kind: 'settle',
  resource,
  record,
  ttl,
  ...terms,
});
const peek = (resource: string): Operation => ({ kind: 'peek', resource });
const clear = (resource: string, { token, value }: Terms): Operation => ({ kind: 'clear', resource, token, value });

let server: RedisServer;
let closed: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
  closed = await startRedisServer();
});
afterAll(stopAll);

const clock = new SystemClock();
const QUARANTINE = 60_000;
const inMemory = (quarantine: number): LockNode => {
  const node = new MemoryNode('memory', clock);
  node.data.clear(quarantine);
  return node;
};
const onRedis = (url: string, restartQuarantine: boolean): LockNode =>
  realNodes([url], clock, { ...TRUSTING, restartQuarantine, maxTtl: QUARANTINE })[0]!;

describe.each([
  ['in memory', () => inMemory(0), () => inMemory(QUARANTINE)],
  ['on Redis', () => onRedis(server.url, false), () => onRedis(closed.url, true)],
])('the record of a key %s', (_where, voting, quarantined) => {
  let client: NodeClient;
  let outside: NodeClient;
  let keys = 0;
  const newKey = (): string => `key-${(keys += 1)}`;
  const kinds = async (...operations: Operation[]): Promise<string[]> => {
    const answers: string[] = [];
    for (const operation of operations) answers.push((await client.ask(operation)).kind);
    return answers;
  };
  beforeAll(async () => {
    client = new NodeClient(voting());
    outside = new NodeClient(quarantined());
    await Promise.all([client.open(), outside.open()]);
  });
  afterAll(() => Promise.all([client.node.close(), outside.node.close()]));

  it('is nothing, then a promise, then a record', async () => {
    const key = newKey();
    expect(await client.ask(peek(key))).toEqual({ kind: 'nothing' });
    expect(await client.ask(open(key, A))).toMatchObject({ kind: 'opened', attempts: 1 });
    expect(await client.ask(peek(key))).toMatchObject({ kind: 'peeked', running: A, attempts: 1 });
    expect(await client.ask(settle(key, A, 'r'))).toEqual({ kind: 'settled' });
    const peeked = await client.ask(peek(key));
    expect(peeked).toMatchObject({ kind: 'peeked', found: { ...A, record: 'r' }, attempts: 1 });
    expect((peeked as Answer & { remaining: number }).remaining).toBeGreaterThan(KEEP - 5_000);
  });

  it('is promised to the greatest ballot: by the number of the token, then by the value', async () => {
    const key = newKey();
    const nine = { ...A, token: 9 };
    expect(await kinds(open(key, A), open(key, nine), settle(key, nine, 'r'))).toEqual([
      'opened',
      'superseded',
      'superseded',
    ]);
    const [upper, lower] = [
      { ...A, value: 'p.Z' },
      { ...A, value: 'p.a' },
    ];
    expect(await kinds(open(key, lower), open(key, upper))).toEqual(['opened', 'superseded']);
    expect(await kinds(open(key, { ...lower, value: 'p.aa' }), open(key, lower))).toEqual(['opened', 'superseded']);
  });

  it('counts attempts that have left nothing but a promise, and tells of the one before', async () => {
    const key = newKey();
    await client.ask(open(key, A));
    const second = { kind: 'opened', attempts: 2, before: A };
    expect(await client.ask(open(key, B))).toMatchObject(second);
    const again = { ...B, fingerprint: 'changed' };
    expect(await client.ask(open(key, again))).toMatchObject(second);
    expect(await client.ask(open(key, { ...B, token: 12 }))).toMatchObject({ attempts: 3, before: again });
  });

  it('may have no fingerprint', async () => {
    const key = newKey();
    const plain = { ...A, fingerprint: null };
    await client.ask(open(key, plain));
    expect(await client.ask(open(key, B))).toMatchObject({ before: plain });
    await client.ask(settle(key, { ...B, fingerprint: null }, 'r'));
    expect(await client.ask(peek(key))).toMatchObject({ found: { fingerprint: null } });
  });

  it('stands with its fingerprint and its time when a later attempt opens the key, whose promise counts', async () => {
    const key = newKey();
    await kinds(open(key, A), settle(key, A, 'r', 20_000));
    const opened = await client.ask(open(key, B));
    expect(opened).toMatchObject({ kind: 'opened', found: { ...A, record: 'r' } });
    expect((opened as { found: { remaining: number } }).found.remaining).toBeLessThanOrEqual(20_000);
    expect(await client.ask(peek(key))).toMatchObject({ found: A });
    expect(await kinds(settle(key, A, 'other'))).toEqual(['superseded']);
    expect(await kinds(settle(key, { ...B, fingerprint: 'fa' }, 'r', 15_000))).toEqual(['settled']);
    expect(await client.ask(peek(key))).toMatchObject({ found: { token: B.token, fingerprint: 'fa', record: 'r' } });
  });

  it('lasts for its ttl; a promise is never shortened', async () => {
    const [key, other] = [newKey(), newKey()];
    await kinds(open(key, A, 300), open(key, B, 1), settle(other, A, 'r', 150));
    await sleep(100);
    expect(await kinds(peek(key), peek(other))).toEqual(['peeked', 'peeked']);
    await sleep(100);
    expect(await kinds(peek(other))).toEqual(['nothing']);
    await sleep(200);
    expect(await kinds(peek(key))).toEqual(['nothing']);
  });

  it('is cleared only of an own promise, and forgotten whatever stands', async () => {
    const key = newKey();
    await client.ask(open(key, A));
    expect(await kinds(clear(key, B), clear(key, A), clear(key, A))).toEqual(['gone', 'cleared', 'gone']);
    await kinds(open(key, A), settle(key, A, 'r'));
    const forget = { kind: 'forget', resource: key } as const;
    expect(await kinds(clear(key, A), forget, forget, peek(key))).toEqual(['gone', 'forgotten', 'gone', 'nothing']);
  });

  it('is asked for in one call with the lock, in order', async () => {
    const key = newKey();
    const release = { kind: 'release', resource: key, value: A.value, ttl: 1_000, what: 'nothing' } as const;
    const operations = [settle(key, A, 'r'), release, peek(key), open(key, B)];
    const answers = await new Promise<readonly Answer[]>((resolve) =>
      client.node.send(operations, (all) => resolve(all as readonly Answer[])),
    );
    expect(answers.map(({ kind }) => kind)).toEqual(['settled', 'gone', 'peeked', 'opened']);
  });

  it('keeps texts of all kinds', async () => {
    const record = `ä€😀\0\r\n"\\${'x'.repeat(50_000)}`;
    const key = newKey();
    await kinds(settle(key, A, record));
    expect(await client.ask(peek(key))).toMatchObject({ found: { record } });
  });

  it('is told by a node in quarantine if it stands there; nothing else counts, but is done', async () => {
    const key = newKey();
    const answers: Answer[] = [];
    for (const operation of [peek(key), open(key, A), settle(key, A, 'r'), peek(key), open(key, B)])
      answers.push(await outside.ask(operation));
    expect(answers.slice(0, 4).map(({ kind }) => kind)).toEqual(Array(4).fill('quarantined'));
    expect(answers[4]).toMatchObject({ kind: 'opened', isQuarantined: true, found: { ...A, record: 'r' } });
    expect((await outside.ask(open(key, A))).kind).toBe('superseded');
  });
});

describe('the key of a record on Redis', () => {
  it('ends in ~reply, expires, and is refused if another program has a value there', async () => {
    const client = new NodeClient(onRedis(server.url, false));
    await client.open();
    await client.ask(open('own', A));
    const [keys, left] = await withRedis(server.url, (redis) =>
      Promise.all([redis.keys('own*'), redis.pttl('own~reply')]),
    );
    expect([keys, left]).toEqual([['own~reply'], expect.any(Number)]);
    expect(left).toBeGreaterThan(0);
    await withRedis(server.url, (redis) => redis.set('foreign~reply', 'text'));
    expect(await client.ask(open('foreign', A))).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/^WRONGTYPE/),
    });
    await client.node.close();
  });
});

describe('the memory of a Redis node', () => {
  it('is told as a share of its limit', async () => {
    const node = onRedis(server.url, false);
    await new NodeClient(node).open();
    const share = (): Promise<number> => new Promise((resolve) => node.room!(({ used }) => resolve(used)));
    expect(await share()).toBe(0);
    await withRedis(server.url, (redis) => redis.config('SET', 'maxmemory', '100mb'));
    expect(await share()).toBeGreaterThan(0);
    expect(await share()).toBeLessThan(1);
    await withRedis(server.url, (redis) => redis.config('SET', 'maxmemory', '0'));
    await node.close();
  });
});
