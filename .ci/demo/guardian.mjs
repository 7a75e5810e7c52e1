// Built-in modules only: this runs where no package is installed yet.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setUp, setUpPackages, stopComposeNodes } from '../set-up.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEMO = fileURLToPath(new URL('demo.mjs', import.meta.url));

/**
 * Installs what is missing and runs the demo in a process group of its own, of which nothing is left afterwards. The
 * first signal asks the demo to end, the second one ends the group at once. The demo watches this process in turn.
 * @param {string[]} args
 */
export async function runDemo(args) {
  /** @type {NodeJS.Signals[]} */
  const signals = [];
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let demo;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => (signals.push(signal) === 1 ? demo?.kill(signal) : killGroup(demo?.pid)));
  }
  const containers = await prepare();
  const folder = mkdtempSync(join(tmpdir(), 'redlock-sample-'));
  demo = spawn(process.execPath, [DEMO, folder, ...args], { detached: true, stdio: ['ignore', 1, 2, 'ipc'] });
  const [code, endedBy] = await once(demo, 'exit');
  killGroup(demo.pid);
  rmSync(folder, { recursive: true, force: true });
  stopComposeNodes(containers);
  process.exitCode = code ?? 128 + constants.signals[signals[0] ?? /** @type {NodeJS.Signals} */ (endedBy)];
}

/** Makes sure that there are packages, and nodes or a program to start them. Returns the containers that it started. */
async function prepare() {
  process.chdir(ROOT);
  if (existsSync('sample-app/.env')) process.loadEnvFile('sample-app/.env');
  if (process.env.REDLOCK_NODES) {
    setUpPackages(ROOT);
    return [];
  }
  const { redis } = await setUp();
  if (redis.kind === 'binary') return [];
  process.env.REDLOCK_NODES = redis.nodes.join();
  return redis.started;
}

/** @param {number | undefined} leader */
function killGroup(leader) {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // No member of the group is left.
  }
}
