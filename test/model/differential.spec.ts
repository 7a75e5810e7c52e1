import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../lib/engine/system-clock.js';
import type { Answer, HandOff, Operation } from '../../lib/engine/lock-node.js';
import { MemoryData } from '../../lib/memory/memory-node.js';
import { BatchEncoder } from '../../lib/redis/codec.js';
import { RedisNode } from '../../lib/redis/redis-node.js';
import { toAddresses } from '../../lib/redis/connection/settings/node-address.js';
import { eventually } from '../support/eventually.js';
import { withRedis } from '../support/redis-client.js';
import { serverPrograms, startRedisServer, stopAll, type RedisServer } from '../support/redis-server.js';
import { dice } from './agenda.js';

const BATCHES = Number(process.env['BATCHES'] ?? 8_000);
const HOUR = 3_600_000;
/** Nobody waits for the last two: nodes have a short way for these. */
const RESOURCES = ['a', 'b', 'c', 'd'];
const WAITED_FOR = ['a', 'b'];
const VALUES = ['p.1', 'p.2', 'p.3', 'p.4'];
/** The deposit of the last of them is among those that are given back. */
const GIVEN_BACK = [...VALUES, 'p.5'].flatMap((value) => [value, value, `${value}.kept`]);
const RECORDS = ['', 'r1', '{"a":"ä \u0000\r\n"}', 'x'.repeat(20_000)];
/** Of resources that nobody waits for, so that they are often free. */
const FEW_VALUES = { taken: ['p.1'], givenBack: ['p.1', 'p.1', 'p.1', 'p.1.kept'] };
const CHANNELS = ['c1', 'c2', 'c3'];

describe.each(serverPrograms())('random batches on %s and in memory', (program: string) => {
  let server: RedisServer;
  let nodes: Map<string, RedisNode>;
  let memory: MemoryData;
  const heard = { redis: [] as string[], memory: [] as string[] };
  /** Microseconds. */
  let base: number;

  beforeAll(async () => {
    server = await startRedisServer({ program });
    const [seconds] = await withRedis(server.url, (redis) => redis.time());
    base = Number(seconds) * 1e6;
    memory = new MemoryData({ now: () => 0, date: () => base }, HOUR);
    nodes = new Map();
    const text = (channel: string, { resource, value, token, oldest }: HandOff): string =>
      `${channel} ${resource} ${value} ${token} ${oldest}`;
    for (const channel of CHANNELS) {
      const encoder = new BatchEncoder({ keyPrefix: 'lock:', channel, maxTtl: HOUR, restartQuarantine: false });
      const node = new RedisNode(toAddresses([server.url])[0]!, encoder, new SystemClock());
      nodes.set(channel, node);
      await node.open({
        event: () => undefined,
        identified: () => undefined,
        dated: () => undefined,
        handedOff: (message) => heard.redis.push(text(channel, message)),
      });
      memory.subscribe(channel, (message) => heard.memory.push(text(channel, message)));
    }
  });
  afterAll(async () => {
    await Promise.all([...nodes.values()].map((node) => node.close()));
    await stopAll();
  });

  it('are answered alike, and leave the same behind', async () => {
    const random = dice(7);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    // Faster than the counters, as time is.
    let date = base;
    const near = (): number => date + Math.floor(random() * 60);
    // As a rule, all votes of a call have the same proposal.
    let usual = near();
    const proposal = (): number => (random() < 0.8 ? usual : near());
    const ttl = (): number => pick([HOUR, HOUR, HOUR / 2]);
    const ofRecord = (): Operation => {
      const kind = random();
      const resource = pick(RESOURCES);
      if (kind < 0.2) return { kind: 'peek', resource };
      if (kind < 0.27) return { kind: 'forget', resource };
      const ballot = { resource, value: pick(VALUES), token: 7 + Math.floor(random() * 4) };
      if (kind < 0.5) return { kind: 'clear', ...ballot, isWithdrawn: random() < 0.5 };
      const terms = { ...ballot, fingerprint: pick([null, 'f1', 'f2']), ttl: HOUR };
      if (kind < 0.8) return { kind: 'open', ...terms };
      return { kind: 'settle', ...terms, record: pick(RECORDS) };
    };
    const operation = (): Operation => {
      if (random() < 0.3) return ofRecord();
      const kind = random();
      const resource = pick([...WAITED_FOR, ...RESOURCES]);
      const isWaitedFor = WAITED_FOR.includes(resource);
      const { taken, givenBack } = isWaitedFor ? { taken: VALUES, givenBack: GIVEN_BACK } : FEW_VALUES;
      const value = pick(kind < 0.45 ? taken : givenBack);
      if (kind < 0.45) {
        const arrived = pick([undefined, base + 5, base + 6, base + 7, base + 7, base + 8]);
        const arrival = isWaitedFor ? arrived : undefined;
        const opens = random() < 0.3 ? { fingerprint: pick([null, 'f1']), ttl: HOUR } : undefined;
        const terms = { ttl: ttl(), proposal: proposal(), count: pick([1, 1, 3]), arrival, opens };
        return { kind: 'acquire', resource, value, ...terms };
      }
      if (kind < 0.85) {
        const deposit = { value: pick(VALUES), ttl: ttl(), proposal: proposal(), count: pick([1, 2]) };
        const place = isWaitedFor && random() < 0.4 ? { arrival: base + pick([5, 6, 7]), deposit } : undefined;
        return {
          kind: 'release',
          resource,
          value,
          ttl: HOUR,
          what: place ? 'stay' : pick(['stay', 'leave', 'followed']),
          place,
        };
      }
      // Nobody gives back what was kept twice.
      const isKept = random() < 0.3 && !value.endsWith('.kept');
      if (kind < 0.93) return { kind: 'extend', resource, value, ttl: HOUR, isKept };
      return { kind: 'raise', resource, value, token: date + Math.floor(random() * 200) };
    };
    for (let count = 0; count < BATCHES; count += 1) {
      const channel = pick(CHANNELS);
      date += 20;
      usual = near();
      const operations = Array.from({ length: 1 + Math.floor(random() * 4) }, operation);
      const expected = memory.execute(channel, operations).map(plain);
      const answers = await new Promise((resolve) => nodes.get(channel)!.send(operations, resolve));
      const told = Array.isArray(answers) ? (answers as Answer[]).map(plain) : answers;
      expect({ count, channel, operations, told }).toEqual({ count, channel, operations, told: expected });
    }
    const owners = await withRedis(server.url, (redis) => redis.mget(RESOURCES.map((name) => `lock:${name}`)));
    expect(owners).toEqual(RESOURCES.map((name) => memory.read(name)?.value ?? null));
    await eventually(() => expect(heard.redis.toSorted()).toEqual(heard.memory.toSorted()));
    expect(heard.redis.length).toBeGreaterThan(BATCHES / 20);
  }, 600_000);
});

/** Time goes on in Redis, and stands still in memory. */
function plain(answer: Answer): unknown {
  if (answer.kind === 'granted') return { ...answer, isOpened: answer.isOpened === true };
  if (answer.kind === 'held') return { ...answer, remaining: Math.round(answer.remaining / (HOUR / 2)) };
  if (answer.kind !== 'opened' && answer.kind !== 'peeked') return { ...answer };
  const found = answer.found && { ...answer.found, remaining: HOUR };
  const isQuarantined = answer.kind === 'opened' && answer.isQuarantined === true;
  return { ...answer, found, ...(answer.kind === 'peeked' ? { age: 0, remaining: HOUR } : { isQuarantined }) };
}
