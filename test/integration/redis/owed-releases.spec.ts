import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SingleCall } from '../../../lib/core/port/single-call.js';
import { Claim } from '../../../lib/core/port/claim.js';
import type { AcquireAnswer, ReleaseAnswer } from '../../../lib/core/port/lock-node.js';
import { HastyClock } from '../../support/hasty-clock.js';
import { toAddresses } from '../../../lib/redis/connection/settings/node-address.js';
import { BatchEncoder } from '../../../lib/redis/batch/batch-encoder.js';
import { realParts } from '../../../lib/redis/connection/node-parts.js';
import { RedisNode } from '../../../lib/redis/redis-node.js';
import { eventually } from '../../support/eventually.js';
import { startFaultProxy, type FaultProxy } from '../../support/fault-proxy.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { TRUSTING } from '../../support/trust.js';

/** Script calls of one probe. */
const PROBES = 1;

describe('a release that a node is owed', () => {
  const claim = () => new Claim(['a'], 'ours');
  let server: RedisServer;
  let proxy: FaultProxy;
  let node: RedisNode;
  let told: string[];
  const tell = ({ type }: { type: string }): void => void told.push(type);

  let clock: HastyClock;

  beforeEach(async () => {
    server = await startRedisServer();
    proxy = await startFaultProxy(server);
    told = [];
    clock = new HastyClock();
    const encoder = new BatchEncoder('', TRUSTING, clock);
    node = new RedisNode(toAddresses([proxy.url])[0]!, encoder, realParts(clock));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await node.close();
    await proxy.close();
    await server.stop();
  });

  const owner = () => withRedis(server.url, (redis) => redis.get('a'));
  const acquire = (one: Claim, ttl = 60_000, isFirst = true) =>
    new Promise<AcquireAnswer>((resolve) =>
      node.acquire(Object.assign(new SingleCall<AcquireAnswer>(one, ttl, resolve), { isFirst }), 0),
    );
  const release = (one: Claim, ttl = 60_000) =>
    new Promise<ReleaseAnswer>((resolve) => node.release(new SingleCall(one, ttl, resolve), 0));
  const sent = () => proxy.commands.filter((name) => name === 'EVALSHA').length;
  /** Lets what is unanswered look as if it were so for 2 s. */
  const growSilent = async (): Promise<void> => {
    clock.passed = 2_000;
    await eventually(() => {
      node.probe(() => undefined);
      expect(told).toEqual(['node-up', 'node-down']);
    });
  };

  it('because its connection broke is sent first after the reconnect', async () => {
    await node.open(tell);
    const one = claim();
    await acquire(one);
    proxy.blackhole = true;
    proxy.resetAll();
    await eventually(async () => expect(await release(one)).toMatchObject({ kind: 'unknown', sent: false }));
    expect(await owner()).toBe('ours');
    proxy.blackhole = false;
    proxy.resetAll();
    await eventually(async () => expect(await owner()).toBeNull());
  });

  it('because the answer was lost with the connection is sent again', async () => {
    await node.open(tell);
    const one = claim();
    await acquire(one);
    proxy.dropReplies = true;
    const released = release(one);
    await eventually(async () => expect(await owner()).toBeNull());
    await withRedis(server.url, (redis) => redis.set('a', 'ours')); // as a late acquire of the broken connection would
    proxy.dropReplies = false;
    proxy.resetAll();
    await expect(released).resolves.toMatchObject({ kind: 'unknown' });
    await eventually(async () => expect(await owner()).toBeNull());
  });

  it('is all that is sent over a new connection: nothing that was lost with the old one', async () => {
    await node.open(tell);
    await new Promise((resolve) => node.probe(resolve));
    const before = sent();
    proxy.dropReplies = true;
    const taken = acquire(claim());
    await eventually(() => expect(sent()).toBe(before + 1));
    proxy.dropReplies = false;
    proxy.resetAll();
    await expect(taken).resolves.toMatchObject({ kind: 'unknown', sent: true });
    await eventually(() => expect(told).toEqual(['node-up', 'node-down', 'node-up']));
    await new Promise((resolve) => node.probe(resolve));
    expect(sent()).toBe(before + 1 + PROBES);
  });

  it('is forgotten once the lease has ended by itself', async () => {
    await node.open(tell);
    const [short, long] = [claim(), new Claim(['b'], 'ours')];
    await acquire(short);
    await acquire(long);
    await server.kill();
    await eventually(async () => expect(await release(short, 1)).toMatchObject({ sent: false }));
    await release(long);
    const before = sent();
    await server.restart();
    await eventually(() => expect(sent()).toBeGreaterThan(before));
    expect(sent()).toBe(before + 1);
  });

  it('is not owed to a node that never heard of the claim', async () => {
    const one = claim();
    await expect(acquire(one)).resolves.toMatchObject({ kind: 'unknown', sent: false });
    await release(one);
    await node.open(tell);
    await new Promise((resolve) => node.probe(resolve));
    expect(sent()).toBe(PROBES);
  });

  it('is owed also where the claim reached the node only later, by a healing that it has not answered yet', async () => {
    const one = claim();
    await expect(acquire(one)).resolves.toMatchObject({ kind: 'unknown', sent: false });
    await node.open(tell);
    proxy.pause();
    const healing = acquire(one, 60_000, false);
    await growSilent();
    await expect(release(one)).resolves.toMatchObject({ kind: 'unknown', sent: false });
    proxy.resume();
    await expect(healing).resolves.toMatchObject({ kind: 'granted' });
    await eventually(async () => expect(await owner()).toBeNull());
  });

  it('is sent when a silent node answers with an error', async () => {
    await node.open(tell);
    const one = claim();
    await acquire(one);
    proxy.pause();
    const failing = acquire(new Claim(['b'], 'v'), TRUSTING.maxTtl + 1);
    await growSilent();
    await expect(release(one)).resolves.toMatchObject({ kind: 'unknown', sent: false });
    proxy.resume();
    await expect(failing).resolves.toMatchObject({ kind: 'unknown', reason: expect.stringContaining('above maxTtl') });
    await eventually(async () => expect(await owner()).toBeNull());
  });
});
