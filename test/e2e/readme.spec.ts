import { afterEach, describe, expect, it } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readFileSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DEFAULT_LOCK_OPTIONS } from '../../lib/core/api/options.js';
import { RedlockService } from '../../lib/redlock.service.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { codeBlocks, complaintsAbout, README } from '../support/readme.js';
import { startRedisServers, stopAll } from '../support/redis-server.js';

/** Runs a block beside the others, as a reader would who pastes it. */
async function run<T>(file: string, exported = ''): Promise<T> {
  const pasted = await PastedCode.write(codeBlocks());
  await appendFile(join(pasted.folder, file), exported);
  return pasted.run<T>(file);
}

async function startReplica(): Promise<INestApplication> {
  const { app } = await run<{ app: INestApplication }>('quick-start.ts', '\nexport { app };');
  return app;
}

function post(app: INestApplication, body: object): Promise<Response> {
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  const headers = { 'content-type': 'application/json' };
  return fetch(`http://127.0.0.1:${port}/users`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** What comes of these specs, run beside the blocks of the README. */
async function runSpecs(specs: Record<string, string>): Promise<Record<string, string>> {
  const blocks = Object.entries(specs).map(([file, code]) => ({ file, code }));
  const pasted = await PastedCode.write([...codeBlocks(), ...blocks]);
  const { testResults } = await pasted.runSpecs(Object.keys(specs));
  return Object.fromEntries(testResults.map(({ name, status }) => [basename(name), status]));
}

afterEach(removePasted);

const HOLD = "module.get(RedlockTesting).hold('user:ann@example.com');";

describe('the README', () => {
  it('has a file name in each of its TypeScript blocks', () => {
    expect(codeBlocks().length).toBe(README.match(/```ts\n/g)!.length);
    expect(codeBlocks().length).toBeGreaterThanOrEqual(4);
  });

  it('has code that compiles', () => {
    expect(complaintsAbout(codeBlocks())).toEqual([]);
  });

  it('would notice code that does not compile', () => {
    const wrong = { file: 'wrong.ts', code: "import { WithLok } from 'nestjs-redlock';\nexport default WithLok;" };
    expect(complaintsAbout([wrong])).toEqual([expect.stringContaining('WithLok')]);
  });

  it('has a quick start that registers a user once on two replicas when pasted', async () => {
    const nodes = await startRedisServers(3);
    const folder = await mkdtemp(join(tmpdir(), 'users-'));
    process.env['REDLOCK_NODES'] = nodes.map(({ url }) => url).join(',');
    process.env['USERS_FILE'] = join(folder, 'users.txt');
    process.env['PORT'] = '0';
    const replicas = [await startReplica(), await startReplica()];
    const register = (email: string, index: number): Promise<Response> => post(replicas[index % 2]!, { email });
    const same = ['Ann@example.com', ' ann@example.com', 'ann@example.com', 'ANN@example.com'];
    const replies = await Promise.all(same.map(register));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    expect(await replies.find(({ status }) => status === 201)!.json()).toEqual({ email: 'ann@example.com' });
    expect(await readFile(process.env['USERS_FILE'], 'utf8')).toBe('ann@example.com\n');
    expect((await register('', 0)).status).toBe(400);
    await Promise.all(replicas.map((app) => app.close()));
    await stopAll(nodes);
    await rm(folder, { recursive: true });
  });

  it('has a module with ConfigService that locks at once on new nodes when pasted, outside production', async () => {
    const nodes = await startRedisServers(3);
    process.env['REDLOCK_NODES'] = nodes.map(({ url }) => url).join(',');
    const { ConfiguredModule } = await run<{ ConfiguredModule: Type }>('configured.module.ts');
    const app = await NestFactory.createApplicationContext(ConfiguredModule, { logger: false });
    expect(await app.get(RedlockService).withLock('first', () => 'locked')).toBe('locked');
    await app.close();
    await stopAll(nodes);
  });

  it('says in each of its modules what keeps new nodes out of the vote', () => {
    const modules = codeBlocks().filter(({ code }) => code.includes('RedlockModule.forRoot'));
    expect(modules.map(({ file }) => file)).toEqual(['quick-start.ts', 'configured.module.ts']);
    for (const { code } of modules) expect(code).toMatch(/ restartQuarantine: .+ === 'production',/);
  });

  it('shows how to test a controller without Redis, in three lines', async () => {
    const asked = '.asRequest({ body }, register)';
    const spec = codeBlocks().find(({ file }) => file === 'users.controller.spec.ts')!.code;
    expect(spec.split("it('registers a user', async () => {\n")[1]!.match(/^ {2}\S/gm)).toHaveLength(3);
    const impatient = spec.replace('.forRoot()', '.forRoot({ defaults: { waitTimeout: 0 } })');
    const specs = {
      'as-it-is.spec.ts': spec,
      'impatient.spec.ts': impatient,
      'held.spec.ts': impatient.replace('  const register', `  ${HOLD}\n  const register`),
      'no-request.spec.ts': spec.replace(`module.get(RedlockTesting)${asked}`, 'register()'),
    };
    expect(await runSpecs(specs)).toEqual({
      'as-it-is.spec.ts': 'passed',
      'impatient.spec.ts': 'passed',
      'held.spec.ts': 'failed',
      'no-request.spec.ts': 'failed',
    });
  }, 120_000);

  it('leads to a page that names the default of every lock option', () => {
    const page = readFileSync('docs/options.md', 'utf8').split('\n- ');
    for (const [name, value] of Object.entries(DEFAULT_LOCK_OPTIONS)) {
      const entry = page.find((part) => part.startsWith(`**\`${name}\`**`) || part.includes(`and **\`${name}\`**`));
      expect(entry).toContain(value === Infinity ? 'no limit' : `${value}`);
    }
  });

  it('names the defaults itself as they are', () => {
    const rows = README.split('\n').filter((line) => line.startsWith('| `'));
    for (const name of ['ttl', 'waitTimeout', 'maxHold'] as const) {
      const row = rows.find((line) => line.split('|')[1]!.includes(`\`${name}\``));
      expect(row!.split('|')[2]).toContain(`${DEFAULT_LOCK_OPTIONS[name]}`);
    }
  });

  it('stays readable in one go', () => {
    expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(250);
  });
});
