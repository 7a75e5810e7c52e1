import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { findPostgres } from '../../.ci/set-up/postgres.mjs';
import { keeper } from './redis-server/keeper.js';
import { HOST, onFreePort, PortTakenError } from './redis-server/ports.js';

/** Ms. */
const START_TIMEOUT = 30_000;

/** Whether this machine has a Postgres to start, or an address of one in `REDLOCK_TEST_POSTGRES`. */
export const HAS_POSTGRES = process.env['REDLOCK_TEST_POSTGRES'] !== undefined || findPostgres('initdb') !== undefined;

/** A real Postgres: empty, on a port of its own, and gone with this process at the latest. */
export interface Postgres {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const given = process.env['REDLOCK_TEST_POSTGRES'];
  if (given !== undefined) return { url: given, stop: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), 'redlock-postgres-'));
  keeper.add('folder', folder);
  initialise(folder);
  const { child, port } = await onFreePort(async (candidate) => ({
    child: await start(folder, candidate),
    port: candidate,
  }));
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
    keeper.remove('folder', folder);
  };
  return { url: `postgres://postgres@${HOST}:${port}/postgres`, stop };
}

/** Postgres does not run as root: it runs as its own user there. */
function user(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function initialise(folder: string): void {
  const { uid, gid } = user();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const args = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
  execFileSync(findPostgres('initdb')!, args, { uid, gid, stdio: 'pipe', cwd: folder });
}

async function start(folder: string, port: number): Promise<ChildProcess> {
  const settings = [
    'fsync=off',
    'max_connections=200',
    `unix_socket_directories=${folder}`,
    'max_prepared_transactions=10',
  ];
  const args = [
    '-D',
    join(folder, 'data'),
    '-h',
    HOST,
    '-p',
    `${port}`,
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
  const child = spawn(findPostgres('postgres')!, args, { ...user(), cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const pid = child.pid!;
  keeper.add('pid', pid);
  child.once('exit', () => keeper.remove('pid', pid));
  let said = '';
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  await untilReady(child, port, () => said);
  return child;
}

async function untilReady(child: ChildProcess, port: number, said: () => string): Promise<void> {
  const limit = performance.now() + START_TIMEOUT;
  while (!said().includes('ready to accept connections')) {
    if (child.exitCode !== null && /address already in use/i.test(said())) throw new PortTakenError(port);
    if (child.exitCode !== null || performance.now() > limit) throw new Error(`Postgres did not start:\n${said()}`);
    await setTimeout(20);
  }
  const client = new Client({ connectionString: `postgres://postgres@${HOST}:${port}/postgres` });
  await client.connect();
  await client.end();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  // Ends all connections at once.
  child.kill('SIGQUIT');
  await ended;
}
