import { afterEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseWay } from '../../../.ci/set-up/redis.mjs';
import { createStubPrograms, type StubPrograms } from '../../support/stub-programs.js';

const TEST_SCRIPT = fileURLToPath(new URL('../../../.ci/test.mjs', import.meta.url));
const NO_ENGINE = '[ "$1" != info ]';
const SERVER = 'exit 0';

let programs: StubPrograms | undefined;

afterEach(async () => {
  await programs?.remove();
  programs = undefined;
});

async function wayWith(scripts: Record<string, string>, isRoot = false): Promise<ReturnType<typeof chooseWay>> {
  programs = await createStubPrograms(scripts);
  return chooseWay({ env: { PATH: programs.folder }, isRoot });
}

describe('chooseWay', () => {
  it('takes a redis-server that is there before everything else', async () => {
    const way = await wayWith({ 'redis-server': SERVER, 'valkey-server': SERVER, docker: 'exit 0' });
    expect(way).toEqual({ kind: 'binary', path: join(programs!.folder, 'redis-server') });
  });

  it('is content with valkey-server', async () => {
    const way = await wayWith({ 'valkey-server': SERVER, 'apt-get': 'exit 0' }, true);
    expect(way).toEqual({ kind: 'binary', path: join(programs!.folder, 'valkey-server') });
  });

  it('takes the compose file where an engine answers', async () => {
    expect(await wayWith({ docker: 'exit 0', 'apt-get': 'exit 0' }, true)).toEqual({ kind: 'compose' });
  });

  it('does not take a Docker client for an engine', async () => {
    expect(await wayWith({ docker: NO_ENGINE, 'apt-get': 'exit 0' }, true)).toMatchObject({ kind: 'install' });
  });

  it('does not take an engine without the compose plugin', async () => {
    const way = await wayWith({ docker: '[ "$1" != compose ]', brew: 'exit 0' });
    expect(way).toEqual({ kind: 'install', steps: [['brew', 'install', 'redis']] });
  });

  it('does not wait for an engine that does not answer', async () => {
    const start = performance.now();
    expect(await wayWith({ docker: 'exec /bin/sleep 60', brew: 'exit 0' })).toMatchObject({ kind: 'install' });
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('installs by apt-get as root, with fresh lists', async () => {
    expect(await wayWith({ 'apt-get': 'exit 0' }, true)).toEqual({
      kind: 'install',
      steps: [
        ['apt-get', 'update'],
        ['apt-get', 'install', '--yes', '--no-install-recommends', 'redis-server'],
      ],
    });
  });

  it('installs by sudo where it asks for no password', async () => {
    const way = await wayWith({ 'apt-get': 'exit 0', sudo: '[ "$1" = -n ]' });
    expect(way).toMatchObject({
      steps: [['sudo', '-n', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', 'update'], expect.any(Array)],
    });
  });

  it('names the ways out where sudo would ask', async () => {
    await expect(wayWith({ 'apt-get': 'exit 0', sudo: 'exit 1' })).rejects.toThrow(/redis-server.*\n.*\n.*Docker/);
  });

  it('names the ways out where there is nothing', async () => {
    await expect(wayWith({})).rejects.toThrow('found no way to get it');
  });
});

describe('npm test without a way to Redis', () => {
  it('ends with the message alone', () => {
    const { npm_execpath: _npm, ...env } = process.env;
    const { status, stderr } = spawnSync(process.execPath, [TEST_SCRIPT], { env: { ...env, PATH: '/nowhere' } });
    expect(status).toBe(1);
    expect(String(stderr)).toMatch(/^\nThis needs real Redis, and found no way to get it\./);
    expect(String(stderr)).not.toContain(' at ');
  });
});
