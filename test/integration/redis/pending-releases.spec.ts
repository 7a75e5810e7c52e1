import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HastyClock } from '../../support/hasty-clock.js';
import type { RedisNode } from '../../../lib/redis/redis-node.js';
import { eventually } from '../../support/eventually.js';
import { startFaultProxy, type FaultProxy } from '../../support/fault-proxy.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { NodeClient } from '../../support/node-client.js';
import { realNodes } from '../../support/real-nodes.js';
import { TRUSTING } from '../../support/trust.js';

/** Script calls of one probe. */
const PROBES = 1;

describe('a release that a node is owed', () => {
  let server: RedisServer;
  let proxy: FaultProxy;
  let node: RedisNode;
  let client: NodeClient;
  let told: string[];
  const tell = (type: string): void => void told.push(type);

  let clock: HastyClock;

  beforeEach(async () => {
    server = await startRedisServer();
    proxy = await startFaultProxy(server);
    told = [];
    clock = new HastyClock();
    node = realNodes([proxy.url], clock, TRUSTING)[0]!;
    client = new NodeClient(node);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await node.close();
    await proxy.close();
    await server.stop();
  });

  const owner = () => withRedis(server.url, (redis) => redis.get('a'));
  const acquire = (value = 'ours', resource = 'a', ttl = 60_000) => client.acquire(resource, value, { ttl });
  const release = (resource = 'a', ttl = 60_000) => client.release(resource, 'ours', { ttl });
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
    await client.open(tell);
    await acquire();
    proxy.blackhole = true;
    proxy.resetAll();
    await eventually(async () => expect(await release()).toMatchObject({ kind: 'unknown', sent: false }));
    expect(await owner()).toBe('ours');
    proxy.blackhole = false;
    proxy.resetAll();
    await eventually(async () => expect(await owner()).toBeNull());
  });

  it('because the answer was lost with the connection is sent again', async () => {
    await client.open(tell);
    await acquire();
    proxy.dropReplies = true;
    const released = release();
    await eventually(async () => expect(await owner()).toBeNull());
    await withRedis(server.url, (redis) => redis.set('a', 'ours')); // as a late acquire of the broken connection would
    proxy.dropReplies = false;
    proxy.resetAll();
    await expect(released).resolves.toMatchObject({ kind: 'unknown' });
    await eventually(async () => expect(await owner()).toBeNull());
  });

  it('is all that is sent over a new connection: nothing that was lost with the old one', async () => {
    await client.open(tell);
    await new Promise((resolve) => node.probe(resolve));
    const before = sent();
    proxy.dropReplies = true;
    const taken = acquire();
    await eventually(() => expect(sent()).toBe(before + 1));
    proxy.dropReplies = false;
    proxy.resetAll();
    await expect(taken).resolves.toMatchObject({ kind: 'unknown', sent: true });
    await eventually(() => expect(told).toEqual(['node-up', 'node-down', 'node-up']));
    await new Promise((resolve) => node.probe(resolve));
    expect(sent()).toBe(before + 1 + PROBES);
  });

  it('is sent without a pause also if there are more than fit into one call', async () => {
    await client.open(tell);
    const names = Array.from({ length: 250 }, (_, index) => `many-${index}`);
    await Promise.all(names.map((name) => acquire('ours', name)));
    proxy.blackhole = true;
    proxy.resetAll();
    await eventually(async () => expect(await release(names[0])).toMatchObject({ kind: 'unknown', sent: false }));
    await Promise.all(names.map((name) => release(name)));
    // Only the connection makes it send from here on, and no timer.
    jest.spyOn(clock, 'schedule').mockReturnValue(() => undefined);
    proxy.blackhole = false;
    proxy.resetAll();
    await eventually(async () => expect(await withRedis(server.url, (redis) => redis.keys('*many-*'))).toEqual([]));
  });

  it('is forgotten once the lease has ended by itself', async () => {
    await client.open(tell);
    await acquire();
    await acquire('ours', 'b');
    await server.kill();
    await eventually(async () => expect(await release('a', 1)).toMatchObject({ sent: false }));
    await release('b');
    const before = sent();
    await server.restart();
    await eventually(() => expect(sent()).toBeGreaterThan(before));
    expect(sent()).toBe(before + 1);
  });

  it('is owed also where the claim reached the node only later, by a healing that it has not answered yet', async () => {
    await expect(acquire()).resolves.toMatchObject({ kind: 'unknown', sent: false });
    await client.open(tell);
    proxy.pause();
    const healing = acquire();
    await growSilent();
    await expect(release()).resolves.toMatchObject({ kind: 'unknown', sent: false });
    proxy.resume();
    await expect(healing).resolves.toMatchObject({ kind: 'granted' });
    await eventually(async () => expect(await owner()).toBeNull());
  });

  it('is sent when a silent node answers with an error', async () => {
    await client.open(tell);
    await acquire();
    proxy.pause();
    const failing = acquire('v', 'b', TRUSTING.maxTtl + 1);
    await growSilent();
    await expect(release()).resolves.toMatchObject({ kind: 'unknown', sent: false });
    proxy.resume();
    await expect(failing).resolves.toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('above its maxTtl'),
    });
    await eventually(async () => expect(await owner()).toBeNull());
  });
});
