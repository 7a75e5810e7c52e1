import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { connectRedis, withRedis } from '../../support/redis-client.js';
import { startRedisServer, startRedisServers, stopAll } from '../../support/redis-server.js';
import { createTlsCertificate } from '../../support/tls-certificate.js';

afterEach(() => stopAll());

function read(url: string, key: string): Promise<string | null> {
  return withRedis(url, (client) => client.get(key));
}

describe('startRedisServers', () => {
  it('starts as many independent nodes as asked, all empty and answering', async () => {
    const servers = await startRedisServers(5);
    await withRedis(servers[0]!.url, (client) => client.set('key', 'there'));
    expect(new Set(servers.map((server) => server.port)).size).toBe(5);
    expect(await Promise.all(servers.map(({ url }) => read(url, 'key')))).toEqual(['there', null, null, null, null]);
  });

  it('ends all of them when one does not start', async () => {
    await expect(startRedisServers(2, { args: ['--no-such-setting', 'x'] })).rejects.toThrow('did not start');
  });
});

describe('RedisServer', () => {
  it('answers no client while frozen, and all clients once thawed', async () => {
    const server = await startRedisServer();
    const client = await connectRedis(server.url);
    await server.freeze();
    let answered = false;
    const ping = client.ping().then(() => (answered = true));
    await expect(connectRedis(server.url, { connectTimeout: 100, commandTimeout: 100 })).rejects.toThrow();
    expect(answered).toBe(false);
    await server.thaw();
    await ping;
    client.disconnect();
  });

  it('is gone once killed, and comes back empty on its port', async () => {
    const server = await startRedisServer();
    const { port } = server;
    await withRedis(server.url, (client) => client.set('key', 'there'));
    await server.kill();
    await expect(connectRedis(server.url)).rejects.toThrow();
    await server.restart();
    expect(server.port).toBe(port);
    expect(await read(server.url, 'key')).toBeNull();
  });

  it('restarts under the eyes of a client that dials it all the time', async () => {
    const server = await startRedisServer();
    const client = await connectRedis(server.url, { retryStrategy: () => 1 });
    for (let turn = 0; turn < 5; turn++) await server.restart();
    await expect(read(server.url, 'key')).resolves.toBeNull();
    client.disconnect();
  });

  it('stops from every state, more than once', async () => {
    const [running, frozen, killed] = await startRedisServers(3);
    await frozen!.freeze();
    await killed!.kill();
    await stopAll([running!, frozen!, killed!]);
    await stopAll([running!, frozen!, killed!]);
    for (const { url } of [running!, frozen!, killed!]) await expect(connectRedis(url)).rejects.toThrow();
  });

  it('takes more arguments', async () => {
    const server = await startRedisServer({ args: ['--requirepass', 'secret'] });
    await expect(read(server.url, 'key')).rejects.toThrow();
    expect(await read(server.url.replace('//', '//:secret@'), 'key')).toBeNull();
  });

  it('speaks TLS with a certificate for its address', async () => {
    const tls = await createTlsCertificate();
    const server = await startRedisServer({ tls });
    const client = await connectRedis(server.url, { tls: { ca: tls.certificate } });
    expect(await client.ping()).toBe('PONG');
    client.disconnect();
    await expect(connectRedis(server.url)).rejects.toThrow();
    await tls.remove();
    expect(existsSync(tls.certFile)).toBe(false);
  });
});
