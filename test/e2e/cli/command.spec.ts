import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BundledCli } from '../../support/bundled-cli.js';
import { eventually } from '../../support/eventually.js';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn } from '../../support/nest/nodes.js';
import { TestApp } from '../../support/nest/test-app.js';
import { startRedisServer, startRedisServers, type RedisServer } from '../../support/redis-server.js';
import { createTlsCertificate } from '../../support/tls-certificate.js';
import { vouchFor } from '../../support/vouch.js';

let cli: BundledCli;
let servers: RedisServer[];

beforeAll(async () => {
  [cli, servers] = await Promise.all([BundledCli.make(), startRedisServers(3)]);
}, 60_000);

afterAll(async () => {
  await endAll();
  await cli.remove();
});

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  cli.run(args, { REDLOCK_NODES: servers.map(({ url }) => url).join(), ...env });

const start3 = (application: string): Promise<TestApp> =>
  TestApp.start('Express', { imports: [poolOn(servers, { application, maxTtl: 600_000 })] });

describe('the command as the package has it', () => {
  it('needs nothing but Node and ioredis', async () => {
    const code = await readFile(cli.file, 'utf8');
    expect(code).toMatch(/^#!\/usr\/bin\/env node\n/);
    const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name!);
    const packages = required.filter((name) => !isBuiltin(name));
    expect(new Set(packages)).toEqual(new Set(['ioredis']));
    const licenses = await readFile(join(dirname(cli.file), 'LICENSES.txt'), 'utf8');
    expect(licenses).toMatch(/^commander [\d.]+\n/m);
  });

  it('names the holder of a lock of a running application, and gives the lock to another one', async () => {
    const [orders, bills] = await Promise.all([start3('orders'), start3('bills')]);
    const options = { ttl: 300_000, waitTimeout: 300_000, retryDelay: 300_000 };
    const lock = await orders.redlock.acquire('order:7', options);
    const next = bills.redlock.acquire('order:7', options);
    await eventually(async () => {
      const { out, code } = await run(['ls', '--json']);
      expect(code).toBe(0);
      const holder = {
        mark: `orders@${hostname()}#${process.pid}`,
        application: 'orders',
        host: hostname(),
        pid: process.pid,
      };
      expect(JSON.parse(out)).toMatchObject({
        locks: [{ resource: 'order:7', value: lock.value, votes: 3, holder, waiters: [{ application: 'bills' }] }],
      });
    });
    expect((await run(['ls'])).out).toMatch(new RegExp(`order:7 +orders on ${hostname()}, pid ${process.pid} `));
    const broken = await run(['break', 'order:7', '--yes', '--value', lock.value]);
    expect(broken).toMatchObject({ code: 0, err: '' });
    expect(broken.out).toContain(`Released on 3 of 3 nodes. It is with bills on ${hostname()}`);
    const taken = await next;
    await expect(lock.extend()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await taken.release();
    await Promise.all([orders.close(), bills.close()]);
  });

  it('is a probe: it ends with 0, 1 and 2', async () => {
    const own = await startRedisServers(3);
    await Promise.all(own.map(({ url }) => vouchFor(url, 30_000, 'lock:')));
    const env = { REDLOCK_NODES: own.map(({ url }) => url).join() };
    const codes: number[] = [];
    for (const server of [undefined, own[0]!, own[1]!]) {
      await server?.kill();
      codes.push((await run(['status', '--json'], env)).code);
    }
    expect(codes).toEqual([0, 1, 2]);
    expect((await run(['doctor', '--json'], env)).code).toBe(2);
  });

  it('asks no question when there is no terminal, and shows its usage', async () => {
    expect(await run(['break', 'a'])).toMatchObject({ code: 64, err: expect.stringContaining('there is no terminal') });
    expect(await run(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('Usage: nestjs-redlock') });
  });

  it('reaches nodes by TLS, with the authority that Node is told', async () => {
    const tls = await createTlsCertificate();
    const server = await startRedisServer({ tls });
    const env = { REDLOCK_NODES: server.url, NODE_EXTRA_CA_CERTS: tls.certFile };
    const { out, code } = await run(['status', '--json'], env);
    expect(JSON.parse(out)).toMatchObject({ nodes: [{ up: true }] });
    expect(code).toBe(2);
    await server.stop();
    await tls.remove();
  });
});
