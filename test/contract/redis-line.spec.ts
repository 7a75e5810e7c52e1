import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SingleCall } from '../../lib/core/port/single-call.js';
import type { AcquireAnswer, ProbeAnswer, ReleaseAnswer } from '../../lib/core/port/lock-node.js';
import { Claim } from '../../lib/core/port/claim.js';
import { SystemClock } from '../../lib/core/time/system-clock.js';
import { BatchEncoder } from '../../lib/redis/batch/batch-encoder.js';
import { secretIn, signatureOf } from '../../lib/redis/grant-signature.js';
import { toAddresses } from '../../lib/redis/connection/settings/node-address.js';
import { realParts } from '../../lib/redis/connection/node-parts.js';
import { RedisNode } from '../../lib/redis/redis-node.js';
import { eventually } from '../support/eventually.js';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.js';
import { withRedis } from '../support/redis-client.js';
import { startRedisServer, type RedisServer } from '../support/redis-server.js';
import { WaiterStub } from '../support/waiter-stub.js';
import { TRUSTING } from '../support/trust.js';

describe('the line of a RedisNode', () => {
  const clock = new SystemClock();
  let server: RedisServer;
  let nodes: RedisNode[];
  let names = 0;
  let a: string;
  let holder: Claim;
  beforeAll(async () => void (server = await startRedisServer()));
  afterAll(() => server.stop());
  beforeEach(async () => {
    nodes = [];
    await withRedis(server.url, (redis) => redis.flushall());
    a = fresh('resource');
    holder = new Claim([a], fresh('holder'));
    await acquire(await connect(), holder);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(nodes.map((node) => node.close()));
  });

  const fresh = (what: string) => `${what}-${(names += 1)}`;
  /** The node, as one more process knows it. */
  const connect = async (url = server.url, encoder = new BatchEncoder('', TRUSTING, clock)): Promise<RedisNode> => {
    const node = new RedisNode(toAddresses([url])[0]!, encoder, realParts(clock));
    nodes.push(node);
    await node.open(() => undefined);
    return node;
  };
  const acquire = (node: RedisNode, claim: Claim) =>
    new Promise<AcquireAnswer>((resolve) => node.acquire(new SingleCall(claim, 60_000, resolve), 0));
  const release = (node: RedisNode, claim: Claim) =>
    new Promise<ReleaseAnswer>((resolve) => node.release(new SingleCall(claim, 60_000, resolve), 0));
  const owner = () => withRedis(server.url, (redis) => redis.get(a));
  const lineUp = async (node: RedisNode, arrived: number): Promise<WaiterStub> => {
    const waiter = new WaiterStub(a, { arrived, ttl: 60_000, value: fresh('waiter') });
    expect(await acquire(node, waiter.claim)).toMatchObject({ kind: 'held' });
    return waiter;
  };

  it('tells the process that waits, whichever process releases', async () => {
    const [one, two] = [await connect(), await connect()];
    const [second, first] = [await lineUp(one, 20), await lineUp(two, 10)];
    await release(nodes[0]!, holder);
    await first.told();
    expect(await owner()).toBe(first.claim.value);
    await release(two, first.claim);
    await second.told();
    expect([first.grants.length, second.grants.length]).toEqual([1, 1]);
  });

  it('passes over waiters whose process is gone', async () => {
    const [dead, living] = [await connect(), await connect()];
    for (const arrived of [10, 11, 12]) await lineUp(dead, arrived);
    const waiter = await lineUp(living, 20);
    await dead.close();
    await release(nodes[0]!, holder);
    await waiter.told();
    expect(await owner()).toBe(waiter.claim.value);
  });

  it('keeps a resource that would be passed to waiters whose process is gone', async () => {
    const [dead, node] = [await connect(), await connect()];
    const one = await lineUp(node, 20);
    await lineUp(dead, 10);
    await dead.close();
    await release(nodes[0]!, holder);
    await one.told();
    const older = await lineUp(await connect(), 5);
    await nodes.at(-1)!.close();
    expect(await new Promise((resolve) => node.yield(new SingleCall(one.claim, 60_000, resolve), 0))).toEqual({
      kind: 'kept',
    });
    expect([await owner(), older.grants]).toEqual([one.claim.value, []]);
    expect(await withRedis(server.url, (redis) => redis.pttl(a))).toBeGreaterThan(30_000);
  });

  it('frees a resource when the processes of all its waiters are gone', async () => {
    const dead = await connect();
    await lineUp(dead, 10);
    await dead.close();
    await release(nodes[0]!, holder);
    expect(await owner()).toBeNull();
    expect(await withRedis(server.url, (redis) => redis.exists(`${a}~waiters`))).toBe(0);
  });

  it('takes back a grant to a waiter that gave up meanwhile, and gives it to the next waiter', async () => {
    const [proxy, other] = [await startFaultProxy(server), await connect()];
    const slow = await connect(proxy.url);
    const gone = await lineUp(slow, 10);
    const waiter = await lineUp(other, 20);
    proxy.requestDelay = 200;
    const left = release(slow, gone.claim);
    await release(nodes[0]!, holder);
    await left;
    await waiter.told();
    expect(await owner()).toBe(waiter.claim.value);
    await closed(slow, proxy);
  });

  it('gives back a grant that it is told of for a waiter that no longer waits', async () => {
    const encoder = new BatchEncoder('', TRUSTING, clock);
    const node = await connect(server.url, encoder);
    const gone = await lineUp(node, 10);
    await release(node, gone.claim);
    await release(nodes[0]!, holder);
    // As a node does that served the line before the release reached it.
    await withRedis(server.url, async (redis) => {
      await redis.set(a, gone.claim.value, 'PX', 60_000);
      const grant = `${gone.claim.value} 1 - ${a}`;
      const signature = signatureOf(grant, secretIn(await redis.get('~waiting'))!);
      await redis.publish(encoder.channel, `${signature} ${grant}`);
    });
    await eventually(async () => expect(await owner()).toBeNull());
    expect(gone.grants).toEqual([]);
  });

  it('recognizes a waiter after its connection was broken', async () => {
    const proxy = await startFaultProxy(server);
    const node = await connect(proxy.url);
    const waiter = await lineUp(node, 10);
    proxy.resetAll();
    await eventually(async () => expect((await acquire(node, waiter.claim)).kind).toBe('held'));
    await release(nodes[0]!, holder);
    await waiter.told();
    expect(await owner()).toBe(waiter.claim.value);
    await closed(node, proxy);
  });

  // If the waiter took the grant for another one's and gave it back, the release would arrive after its own next
  // question, and it would believe that it has the resource.
  it('grants the resource to a waiter that was never told that it is in line', async () => {
    const proxy = await startFaultProxy(server);
    const node = await connect(proxy.url);
    const waiter = new WaiterStub(a, { arrived: 10, ttl: 60_000, value: fresh('waiter') });
    proxy.dropReplies = true;
    const asking = acquire(node, waiter.claim);
    await eventually(() => expect(proxy.commands).toContain('EVALSHA'));
    await eventually(async () => expect(await withRedis(server.url, (redis) => redis.zcard(`${a}~waiters`))).toBe(1));
    proxy.dropReplies = false;
    proxy.resetAll();
    expect(await asking).toMatchObject({ kind: 'unknown', sent: true });
    const probe = () => new Promise<ProbeAnswer>((resolve) => node.probe(resolve));
    await eventually(async () => expect((await probe()).kind).toBe('up'));
    await release(nodes[0]!, holder);
    await waiter.told();
    expect(await owner()).toBe(waiter.claim.value);
    await closed(node, proxy);
  });

  it('leaves nothing on the node once nobody waits any more', async () => {
    const waiter = await lineUp(await connect(), 10);
    await release(nodes[0]!, holder);
    await release(nodes[1]!, waiter.claim);
    const keys = await withRedis(server.url, (redis) => redis.keys('*'));
    // The mark of a waiter expires; fence counters outlive all locks.
    expect(keys.filter((key) => key !== '~fence')).toEqual(['~waiting']);
    expect(await withRedis(server.url, (redis) => redis.pttl('~waiting'))).toBeGreaterThan(0);
  });

  it('expires, so that a crash of all waiters leaves nothing behind for ever', async () => {
    await lineUp(await connect(), 10);
    const left = await withRedis(server.url, (redis) => redis.pttl(`${a}~waiters`));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  const closed = async (node: RedisNode, proxy: FaultProxy): Promise<void> => {
    await node.close();
    await proxy.close();
  };
});
