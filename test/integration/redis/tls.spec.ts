import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RedisOptions } from 'ioredis';
import { Redlock } from '../../../lib/core/redlock.js';
import { SystemClock } from '../../../lib/core/time/system-clock.js';
import { toAddresses } from '../../../lib/redis/connection/settings/node-address.js';
import { BatchEncoder } from '../../../lib/redis/batch/batch-encoder.js';
import { realParts } from '../../../lib/redis/connection/node-parts.js';
import { RedisNode } from '../../../lib/redis/redis-node.js';
import { eventually } from '../../support/eventually.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { createTlsCertificate, type TlsCertificate } from '../../support/tls-certificate.js';
import { TRUSTING } from '../../support/trust.js';

describe('a node that speaks TLS', () => {
  let certificate: TlsCertificate;
  let server: RedisServer;
  const open: Redlock[] = [];
  beforeAll(async () => {
    certificate = await createTlsCertificate();
    server = await startRedisServer({ tls: certificate, args: ['--requirepass', 's3cret'] });
  });
  afterAll(async () => {
    await Promise.all(open.map((redlock) => redlock.close()));
    await server.stop();
    await certificate.remove();
  });

  const connect = async (node: string | RedisOptions): Promise<Redlock> => {
    const clock = new SystemClock();
    const redlock = new Redlock({
      nodes: [new RedisNode(toAddresses([node])[0]!, new BatchEncoder('', TRUSTING, clock), realParts(clock))],
      clock,
      nodeTimeout: 3_000,
      maxTtl: TRUSTING.maxTtl,
    });
    open.push(redlock);
    await redlock.open();
    return redlock;
  };
  const trusted = (): RedisOptions => ({
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
        expect(node?.reason).toMatch(/TLS was asked for \(rediss:\/\/\): does this port speak TLS\?$/);
      });
      await expect(redlock.tryAcquire('c')).rejects.toThrow(/does this port speak TLS\?/);
    } finally {
      await plain.stop();
    }
  });

  it('is used by its name too', async () => {
    const redlock = await connect({ ...trusted(), host: 'localhost', family: 4 });
    await expect(redlock.tryAcquire('b')).resolves.toMatchObject({ isValid: true });
  });

  it.each([
    ['rediss://', () => server.url.replace('//', '//:s3cret@')],
    ['options', () => ({ ...trusted(), tls: {} })],
  ])('gives no vote to a client that does not trust its certificate (%s), and says why', async (_case, node) => {
    const redlock = await connect(node());
    await expect(redlock.acquire('c', { waitTimeout: 0 })).rejects.toMatchObject({
      code: 'QUORUM_NOT_REACHED',
      nodes: [{ outcome: 'unknown', detail: expect.stringMatching(/self[- ]signed|certificate/i) }],
    });
  });

  it('gives no vote to a client that speaks plain text, and does not hang', async () => {
    const redlock = await connect(server.url.replace('rediss:', 'redis:'));
    await expect(redlock.acquire('d', { waitTimeout: 0 })).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
  });
});
