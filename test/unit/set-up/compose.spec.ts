import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startComposeNodes, stopComposeNodes } from '../../../.ci/set-up/compose.mjs';
import { createStubPrograms, type StubPrograms } from '../../support/stub-programs.js';

let programs: StubPrograms;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  programs = await createStubPrograms({
    docker: 'echo "$*" >> "$CALLS"; case "$*" in *" ps "*) echo "$RUNNING";; *) exit "$STATUS";; esac',
  });
  env = { PATH: programs.folder, CALLS: join(programs.folder, 'calls'), STATUS: '0', RUNNING: '' };
});

afterEach(() => programs.remove());

describe('the nodes of the compose file', () => {
  it('are started, waited for, and found on the ports that the file gives them', async () => {
    const urls = [7001, 9002, 7003, 7004, 7005].map((port) => `redis://127.0.0.1:${port}`);
    const started = ['redis-1', 'redis-2', 'redis-3', 'redis-4', 'redis-5'];
    expect(startComposeNodes({ ...env, REDIS_2_PORT: '9002' })).toEqual({ nodes: urls, started });
    expect(await readFile(env.CALLS!, 'utf8')).toMatch(/docker-compose\.yml up --detach --wait redis-1 .* redis-5\n$/);
  });

  it('are removed where they were started here, and nothing else is', async () => {
    const { started } = startComposeNodes({ ...env, RUNNING: 'postgres\nredis-2\nredis-4' });
    stopComposeNodes(started, env);
    expect(await readFile(env.CALLS!, 'utf8')).toMatch(/ rm --stop --force redis-1 redis-3 redis-5\n$/);
  });

  it('are left alone where they ran before', async () => {
    const { started } = startComposeNodes({ ...env, RUNNING: 'redis-1\nredis-2\nredis-3\nredis-4\nredis-5' });
    stopComposeNodes(started, env);
    expect(await readFile(env.CALLS!, 'utf8')).not.toContain(' rm ');
  });

  it('say so when they do not start', () => {
    expect(() => startComposeNodes({ ...env, STATUS: '1' })).toThrow('could not start the Redis nodes');
  });
});
