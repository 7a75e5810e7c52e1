import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { startFaultProxy, type FaultProxy } from '../../support/fault-proxy.js';
import { connectRedis, withRedis } from '../../support/redis-client.js';
import { startRedisServer, stopAll, type RedisServer } from '../../support/redis-server.js';

const NEVER = 150;

let server: RedisServer;
let proxy: FaultProxy;
let client: Redis;

beforeEach(async () => {
  server = await startRedisServer();
  proxy = await startFaultProxy(server);
  client = await connectRedis(proxy.url, { enableReadyCheck: false, disableClientInfo: true });
});

afterEach(async () => {
  client.disconnect();
  await proxy.close();
  await stopAll();
});

/** How long it takes, in ms. */
async function timed(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work;
  return performance.now() - start;
}

function isAnswered(work: Promise<unknown>): Promise<boolean> {
  const budget = new Promise<boolean>((resolve) => setTimeout(resolve, NEVER, false));
  return Promise.race([work.then(() => true), budget]);
}

/** Unlike `once`, it does not take the broken connection's error for its own. */
function untilClosed(): Promise<void> {
  return new Promise((resolve) => client.once('close', resolve));
}

function direct<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
  return withRedis(server.url, work);
}

describe('FaultProxy', () => {
  it('passes everything on, and tells what', async () => {
    const before = proxy.commands.length;
    await client.set('key', 'a value');
    expect(await client.get('key')).toBe('a value');
    expect(proxy.commands.slice(before)).toEqual(['SET', 'GET']);
    expect(proxy.requestBytes).toBeGreaterThan(0);
    expect(proxy.replyBytes).toBeGreaterThan(0);
    expect(proxy.connections).toBe(1);
  });

  it('delays each way, and stops when told', async () => {
    proxy.requestDelay = 60;
    proxy.replyDelay = 40;
    expect(await timed(client.ping())).toBeGreaterThan(95);
    proxy.requestDelay = proxy.replyDelay = 0;
    expect(await timed(client.ping())).toBeLessThan(95);
  });

  it('keeps the order when a delay shrinks', async () => {
    proxy.requestDelay = 80;
    const first = client.set('key', 'first');
    await new Promise(setImmediate);
    proxy.requestDelay = 0;
    await Promise.all([first, client.set('key', 'second')]);
    expect(await client.get('key')).toBe('second');
  });

  it('drops replies of requests that arrived', async () => {
    proxy.dropReplies = true;
    expect(await isAnswered(client.set('key', 'there'))).toBe(false);
    expect(await direct((redis) => redis.get('key'))).toBe('there');
  });

  it('is a black hole for both directions and for the end of a connection', async () => {
    proxy.blackhole = true;
    expect(await isAnswered(client.set('key', 'there'))).toBe(false);
    expect(await direct((redis) => redis.get('key'))).toBeNull();
    await server.kill();
    expect(await isAnswered(untilClosed())).toBe(false);
  });

  it('holds back while paused and delivers on resume', async () => {
    proxy.pause();
    const answer = client.set('key', 'there');
    expect(await isAnswered(answer)).toBe(false);
    expect(await direct((redis) => redis.get('key'))).toBeNull();
    proxy.resume();
    expect(await answer).toBe('OK');
  });

  it('resets the connections that are open and takes new ones', async () => {
    const closed = untilClosed();
    proxy.resetAll();
    await closed;
    expect(await withRedis(proxy.url, (redis) => redis.ping())).toBe('PONG');
  });

  it('tells the client when the node is gone', async () => {
    const closed = untilClosed();
    await server.kill();
    await closed;
  });
});
