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

  it('is promised to the greatest ballot, by the bytes of the value if the tokens are the same', async () => {
    const key = newKey();
    const [upper, lower, longer] = ['p.Z', 'p.a', 'p.aa'].map((value) => ({ ...A, value }));
    expect(await kinds(open(key, lower!), open(key, upper!))).toEqual(['opened', 'superseded']);
    expect(await kinds(open(key, longer!), open(key, lower!))).toEqual(['opened', 'superseded']);
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
