import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectRedis, withRedis } from '../../support/redis-client.js';
import { startRedisServer, stopAll } from '../../support/redis-server.js';

const STUB = fileURLToPath(new URL('../../support/stub-docker', import.meta.url));
const environment = { ...process.env };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redlock-docker-'));
  Object.assign(process.env, {
    PATH: `${STUB}${delimiter}${environment.PATH}`,
    STUB_DOCKER_FOLDER: folder,
    REDLOCK_TEST_DOCKER: '1',
  });
});

afterEach(async () => {
  await stopAll();
  delete process.env.REDLOCK_TEST_DOCKER;
  Object.assign(process.env, environment);
  await rm(folder, { recursive: true });
});

async function calls(): Promise<string[]> {
  return (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');
}

describe('a node in a container', () => {
  it('is run from the compose file on a port of this machine only', async () => {
    const { port, url } = await startRedisServer({ args: ['--databases', '4'] });
    expect(await withRedis(url, (client) => client.ping())).toBe('PONG');
    const [call] = await calls();
    expect(call).toMatch(
      /^compose --file \/.*\/docker-compose\.yml run --detach --rm --no-deps --name redlock-test-\w+ /,
    );
    expect(call).toContain(
      ` --publish 127.0.0.1:${port}:6379 test-node redis-server --port 6379 --save  --appendonly no `,
    );
    expect(call).toMatch(/ --databases 4$/);
  });

  it('freezes, thaws, dies and comes back empty', async () => {
    const server = await startRedisServer();
    await withRedis(server.url, (client) => client.set('key', 'there'));
    await server.freeze();
    await expect(connectRedis(server.url, { connectTimeout: 100, commandTimeout: 100 })).rejects.toThrow();
    await server.thaw();
    expect(await withRedis(server.url, (client) => client.get('key'))).toBe('there');
    await server.kill();
    await expect(connectRedis(server.url)).rejects.toThrow();
    await server.restart();
    expect(await withRedis(server.url, (client) => client.get('key'))).toBeNull();
  });

  it('takes another port when its port went in the meantime', async () => {
    await writeFile(join(folder, 'refusal'), 'Bind for 127.0.0.1:12345 failed: port is already allocated');
    const { url } = await startRedisServer();
    expect(await withRedis(url, (client) => client.ping())).toBe('PONG');
    expect(await calls()).toHaveLength(2);
  });
});
