import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { RedlockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { manifestsIn } from '../support/kubernetes.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { codeBlocks } from '../support/readme.js';
import { connectRedis, endConnections } from '../support/redis-client.js';
import { startRedisServers, stopAll, type RedisServer } from '../support/redis-server.js';
import { createTlsCertificate, type TlsCertificate } from '../support/tls-certificate.js';

const PAGE = readFileSync('docs/operate/redis.md', 'utf8');
const MANIFEST = readFileSync('docs/operate/kubernetes/redlock-nodes.yaml', 'utf8');
const BLOCKS = codeBlocks(PAGE);

/** The versions of Redis that fix a vulnerability, a list for each row of the table. */
function fixed(): string[][] {
  const rows = PAGE.split('\n').filter((line) => line.startsWith('| CVE-'));
  return rows.map((row) => [...row.split('|')[2]!.matchAll(/[\d.]+/g)].map(([version]) => version));
}

const isOlder = (one: string, than: string): boolean => one.localeCompare(than, 'en', { numeric: true }) < 0;
const lineOf = (version: string): string => version.split('.', 2).join('.');

/** Whether a version has a fix: it is at least the fixed one of its line, or its line is newer than all of these. */
function isFixed(version: string, versions: readonly string[]): boolean {
  const own = versions.find((one) => lineOf(one) === lineOf(version));
  return own === undefined ? versions.every((one) => isOlder(one, version)) : !isOlder(version, own);
}

describe('docs/operate/redis.md', () => {
  let app: INestApplicationContext | undefined;
  let certificate: TlsCertificate | undefined;
  afterEach(async () => {
    await app?.close();
    app = undefined;
    await removePasted();
    await stopAll();
    await certificate?.remove();
    certificate = undefined;
  });

  it('has the code that is run here', () => {
    expect(BLOCKS.map(({ file }) => file)).toEqual([
      'locks.module.ts',
      'rotating-locks.module.ts',
      'kubernetes-nodes.ts',
    ]);
  }, 120_000);

  it('names the pods of its manifest', async () => {
    const pasted = await PastedCode.write(BLOCKS);
    const { nodes } = await pasted.run<{ nodes: string[] }>('kubernetes-nodes.ts');
    const { spec, metadata } = manifestsIn(MANIFEST).find(({ kind }) => kind === 'StatefulSet')! as unknown as {
      readonly spec: { readonly replicas: number; readonly serviceName: string };
      readonly metadata: { readonly name: string };
    };
    const pods = Array.from({ length: spec.replicas }, (_, index) => `${metadata.name}-${index}.${spec.serviceName}`);
    expect(nodes).toEqual(pods.map((pod) => `redis://${pod}:6379`));
  });

  it('has one version of Redis in all files beside it, with all fixes that it names', () => {
    const texts = [MANIFEST, readFileSync('docker-compose.yml', 'utf8')];
    const named = texts.map((text) => [...text.matchAll(/\bredis:(\d[\d.]*)/g)].map(([, version]) => version!));
    const [version] = named[0]!;
    expect(named.map((versions) => [...new Set(versions)])).toEqual([[version], [version]]);
    expect(fixed().filter((versions) => !isFixed(version!, versions))).toEqual([]);
    expect(PAGE).toContain(`\`redis:${version}\``);
  });

  const administer = (
    server: RedisServer,
    work: (redis: Awaited<ReturnType<typeof connectRedis>>) => Promise<unknown>,
  ) =>
    connectRedis(server.url, { tls: { ca: certificate!.certificate } }).then(async (redis) => {
      await work(redis);
      redis.disconnect();
    });

  /** Writes the secrets of the page's example beside its certificate, and starts the example on these nodes. */
  const startOn = async (servers: readonly RedisServer[], password: string): Promise<RedlockService> => {
    const folder = dirname(certificate!.certFile);
    await writeFile(join(folder, 'ca.pem'), certificate!.certificate);
    await writeFile(join(folder, 'password'), `${password}\n`);
    process.env['SECRETS'] = folder;
    process.env['LOCK_HOSTS'] = servers.map(({ host, port }) => `${host}:${port}`).join(',');
    const pasted = await PastedCode.write(BLOCKS);
    const { LocksModule } = await pasted.run<{ LocksModule: Type }>('rotating-locks.module.ts');
    delete process.env['SECRETS'];
    delete process.env['LOCK_HOSTS'];
    app = await NestFactory.createApplicationContext(LocksModule, { logger: false, abortOnError: false });
    return app.get(RedlockService);
  };

  it('has an example that follows a rotated password, with the user that it proposes', async () => {
    certificate = await createTlsCertificate();
    const servers = await startRedisServers(3, { tls: certificate });
    const words = /ACL SETUSER locks (.*?)```/s.exec(PAGE)![1]!.trim().split(/\s+/);
    const user = (password: string): string[] => words.map((word) => (word === '>secret' ? `>${password}` : word));
    for (const server of servers)
      await administer(server, (redis) => redis.call('ACL', 'SETUSER', 'locks', ...user('first')));
    const redlock = await startOn(servers, 'first');
    const untilUp = (): Promise<void> =>
      eventually(async () => {
        const { nodes } = await redlock.status({ timeout: 3_000 });
        // The user may vote on new nodes, which are in quarantine.
        expect(nodes.map(({ votes, votesIn }) => votes || votesIn !== undefined)).toEqual([true, true, true]);
      });
    await untilUp();
    await writeFile(join(dirname(certificate.certFile), 'password'), 'second');
    const ups = new Set<string>();
    redlock.events$.subscribe((event) => event.type === 'node-up' && ups.add(event.node));
    for (const server of servers)
      await administer(server, async (redis) => {
        await redis.call('ACL', 'SETUSER', 'locks', 'reset', ...user('second'));
        await endConnections(redis);
      });
    await eventually(() => expect(ups.size).toBe(3));
    await untilUp();
  });
});
