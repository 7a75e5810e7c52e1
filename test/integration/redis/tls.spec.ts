import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Redlock } from '../../../lib/engine/redlock.js';
import type { NodeOptions } from '../../../lib/redis/connection/settings/node-options.js';
import { eventually } from '../../support/eventually.js';
import { closeLoneNodes, LoneNode } from '../../support/lone-node.js';
import { listenOnFreePort } from '../../support/redis-server/ports.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { createTlsCertificate, type TlsCertificate } from '../../support/tls-certificate.js';

describe('a node that speaks TLS', () => {
  let certificate: TlsCertificate;
  let server: RedisServer;
  beforeAll(async () => {
    certificate = await createTlsCertificate();
    server = await startRedisServer({ tls: certificate, args: ['--requirepass', 's3cret'] });
  });
  afterAll(async () => {
    await closeLoneNodes();
    await server.stop();
    await certificate.remove();
  });

  const connect = async (node: string | NodeOptions): Promise<Redlock> => (await LoneNode.open(node)).redlock;
  const trusted = (): NodeOptions => ({
    host: server.host,
    port: server.port,
    password: 's3cret',
    tls: { ca: certificate.certificate },
  });

  it('is used by a client that trusts its certificate', async () => {
    const redlock = await connect(trusted());
    const lock = await redlock.acquire('a');
    await lock.extend();
    await lock.release();
    expect((await redlock.status()).nodes).toEqual([
      {
        node: `rediss://${server.host}:${server.port}`,
        up: true,
        votes: true,
        latency: expect.any(Number),
        clockOffset: 0,
      },
    ]);
  });

  it('is asked for in words where a port does not speak it', async () => {
    const plain = await startRedisServer();
    try {
      const redlock = await connect({ host: plain.host, port: plain.port, connectTimeout: 500, tls: {} });
      await eventually(async () => {
        const [node] = (await redlock.status()).nodes;
        expect(node?.reason).toMatch(/TLS was asked for: if this port does not speak TLS, leave out tls$/);
      });
      await expect(redlock.tryAcquire('c')).rejects.toThrow(/if this port does not speak TLS, leave out tls/);
    } finally {
      await plain.stop();
    }
  });

  it('is used by its name too', async () => {
    const redlock = await connect({ ...trusted(), host: 'localhost', family: 4 });
    await expect(redlock.tryAcquire('b')).resolves.toMatchObject({ isValid: true });
  });

  /** Waits for the reason for which the only node is down. */
  const reasonOf = async (redlock: Redlock, pattern: RegExp): Promise<string> => {
    await eventually(async () => expect((await redlock.status()).nodes[0]?.reason).toMatch(pattern));
    return (await redlock.status()).nodes[0]!.reason!;
  };

  it.each<[string, () => string | NodeOptions, RegExp]>([
    [
      'a URL',
      () => server.url.replace('rediss:', 'redis:'),
      /^\w+ ECONNRESET - the node may expect TLS: write rediss:\/\/ in the place of redis:\/\/$/,
    ],
    [
      'options',
      () => ({ host: server.host, port: server.port }),
      /^\w+ ECONNRESET - the node may expect TLS: write tls: \{\}$/,
    ],
  ])(
    'gives no vote to a client that speaks plain text by %s, and says how to write TLS there',
    async (_form, node, reason) => {
      const redlock = await connect(node());
      await expect(redlock.acquire('d', { waitTimeout: 0 })).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
      await reasonOf(redlock, reason);
    },
  );

  it('says the same of a port that closes the connection of a client that speaks plain text without an error', async () => {
    const { server: closing, port } = await listenOnFreePort();
    closing.on('connection', (socket) => socket.once('data', () => socket.end()).resume());
    try {
      const redlock = await connect(`redis://127.0.0.1:${port}`);
      await reasonOf(
        redlock,
        /^the node closed the connection before it was ready - the node may expect TLS: write rediss:/,
      );
      await expect(redlock.acquire('d', { waitTimeout: 0 })).rejects.toThrow(/the node may expect TLS/);
    } finally {
      closing.close();
    }
  });

  it.each<[string, () => string | NodeOptions, RegExp]>([
    [
      'a URL',
      () => server.url.replace('//', '//:s3cret@'),
      /self-signed certificate - .* replace the URL by \{ host: '127\.0\.0\.1', port: \d+, password, tls: \{ ca \} \}$/,
    ],
    ['options', () => ({ ...trusted(), tls: {} }), /self-signed certificate - .* give tls: \{ ca \}$/],
  ])(
    'gives no vote to a client that does not know its CA by %s, says where to give the CA, and shows no password',
    async (_form, node, reason) => {
      const redlock = await connect(node());
      expect(await reasonOf(redlock, reason)).not.toContain('s3cret');
      await expect(redlock.acquire('c', { waitTimeout: 0 })).rejects.toMatchObject({
        code: 'QUORUM_NOT_REACHED',
        nodes: [{ outcome: 'unknown', detail: expect.stringMatching(reason) }],
      });
    },
  );

  it('tells a client that knows it by another name than its certificate what to write', async () => {
    const other = await createTlsCertificate('redis.internal');
    const named = await startRedisServer({ tls: other });
    try {
      const { host, port } = named;
      const redlock = await connect({ host, port, tls: { ca: other.certificate } });
      await reasonOf(
        redlock,
        /certificate's altnames.* - its certificate is for another name: write a name of the certificate as the host, or give tls: \{ servername \}$/,
      );
      const right = await connect({ host, port, tls: { ca: other.certificate, servername: 'redis.internal' } });
      await expect(right.acquire('e')).resolves.toMatchObject({ isValid: true });
    } finally {
      await named.stop();
      await other.remove();
    }
  });
});
