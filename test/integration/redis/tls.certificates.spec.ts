import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeCredentials } from '../../../lib/redis/connection/settings/credentials.js';
import type { NodeOptions } from '../../../lib/redis/connection/settings/node-options.js';
import { closeLoneNodes, LoneNode } from '../../support/lone-node.js';
import { connectRedis, endConnections } from '../../support/redis-client.js';
import { startRedisServer, stopAll, type RedisServer } from '../../support/redis-server.js';
import { TlsAuthority, writeTlsFiles, type KeyPair } from '../../support/tls-authority.js';
import type { TlsCertificate } from '../../support/tls-certificate.js';

const ONCE = { waitTimeout: 0 };
const MISMATCH = /^the connection could not begin: .*key values mismatch - check the options of the node, and what its/;

describe('a node whose certificate is signed by a private authority', () => {
  let [authority, other]: TlsAuthority[] = [];
  let files: TlsCertificate;
  let client: KeyPair;
  let server: RedisServer;
  const removed: TlsCertificate[] = [];
  beforeAll(async () => {
    [authority, other] = await Promise.all([TlsAuthority.make('one'), TlsAuthority.make('other')]);
    client = await authority.issue('client');
    removed.push((files = await writeTlsFiles(authority)));
  });
  afterAll(() => Promise.all(removed.map((certificate) => certificate.remove())));
  beforeEach(async () => {
    server = await startRedisServer({ tls: files, args: ['--tls-auth-clients', 'yes'] });
  });
  afterEach(async () => {
    await closeLoneNodes();
    await stopAll();
  });

  const node = (tls: NodeOptions['tls'], credentials?: () => NodeCredentials): NodeOptions => ({
    host: server.host,
    port: server.port,
    tls,
    ...(credentials && { credentials }),
  });
  const trusting = (): object => ({ ca: authority!.certificate, ...client });

  /** Gives the node a certificate of the other authority while it runs, and ends the connections that it has. */
  const replaceCertificate = async (): Promise<void> => {
    const redis = await connectRedis(server.url, { tls: trusting() });
    const next = await writeTlsFiles(other!);
    removed.push(next);
    const paths = { 'tls-ca-cert-file': next.caFile!, 'tls-cert-file': next.certFile, 'tls-key-file': next.keyFile };
    await redis.call('CONFIG', 'SET', ...Object.entries(paths).flat());
    await endConnections(redis);
    redis.disconnect();
  };

  it('gives votes to a client that has a certificate of that authority, too', async () => {
    const lone = await LoneNode.open(node(trusting()));
    await lone.until('node-up');
    await lone.lock();
    expect(lone.types).not.toContain('node-down');
  });

  it.each<[string, () => NodeOptions['tls'], RegExp]>([
    [
      'has no certificate',
      () => ({ ca: authority!.certificate }),
      / asks for a certificate of the client(:|,) give tls: \{ cert, key \}$/,
    ],
    [
      'does not know that authority',
      () => ({ ...client }),
      / - this process does not know the CA of the node's certificate: give tls: \{ ca \}$/,
    ],
  ])('gives no vote to a client that %s, and the reason says what to do', async (_case, tls, reason) => {
    const lone = await LoneNode.open(node(tls()));
    await expect(lone.redlock.acquire('a', ONCE)).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    await lone.until('node-down');
    expect(lone.reasons('node-down')).toEqual([expect.stringMatching(reason)]);
  });

  it('is used again after its authority has changed where credentials() returns the new one', async () => {
    let tls: NodeOptions['tls'] = trusting();
    const lone = await LoneNode.open(node({}, () => ({ tls })));
    await lone.lock();
    tls = { ca: other!.certificate, ...(await other!.issue('client')) };
    await replaceCertificate();
    await lone.until('node-up', 2);
    await lone.lock();
    expect(lone.types).not.toContain('node-warning');
  });

  describe('where credentials() read the files of a rotation between two writes, once', () => {
    /** The attempt that gets the certificate with the key of another one. */
    let torn: number;
    const open = async (): Promise<LoneNode> => {
      const { key } = await authority!.issue('client');
      let calls = 0;
      const credentials = (): NodeCredentials => ({ tls: { ...trusting(), ...(++calls === torn && { key }) } });
      return LoneNode.open(node({}, credentials));
    };

    it('is up after the next attempt, where it was the first connection, and the reason says why it was down', async () => {
      torn = 1;
      const lone = await open();
      await lone.until('node-up');
      await lone.lock();
      expect(lone.types.filter((type) => type.startsWith('node-'))).toEqual(['node-down', 'node-up']);
      expect(lone.reasons('node-down')).toEqual([expect.stringMatching(MISMATCH)]);
    });

    it('is up after the next attempt, where it was up before, and one warning says why it was down', async () => {
      torn = 2;
      const lone = await open();
      await lone.lock();
      const redis = await connectRedis(server.url, { tls: trusting() });
      await endConnections(redis);
      redis.disconnect();
      await lone.until('node-up', 2);
      await lone.lock();
      expect(lone.reasons('node-warning')).toEqual([expect.stringMatching(MISMATCH)]);
    });
  });

  it('is not used with options that do not change, and one warning says why', async () => {
    const lone = await LoneNode.open(node(trusting()));
    await lone.lock();
    await replaceCertificate();
    await lone.until('node-warning');
    await expect(lone.redlock.acquire('a', ONCE)).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    expect(lone.reasons('node-warning')).toEqual([
      expect.stringMatching(/ - this process does not know the CA of the node's certificate: give tls: \{ ca \}$/),
    ]);
  });

  it('is not used where credentials() returns tls for a node that has none, and the reason says what to do', async () => {
    const lone = await LoneNode.open(node(undefined, () => ({ tls: trusting() })));
    await lone.until('node-down');
    expect(lone.reasons('node-down')).toEqual([
      'credentials() failed: it has returned tls, and the node has none: add tls: {} to the node',
    ]);
  });
});
