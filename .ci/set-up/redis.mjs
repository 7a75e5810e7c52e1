import { composeAnswers } from './compose.mjs';
import { findProgram, runVisibly, succeeds } from './programs.mjs';
import { SetUpError } from './set-up-error.mjs';

/** @typedef {{ kind: 'binary', path: string } | { kind: 'compose' } | { kind: 'install', steps: string[][] }} Way */

const SERVERS = ['redis-server', 'valkey-server'];

/**
 * How this machine gets its Redis: what is there before what has to be installed.
 * @param {{ env?: NodeJS.ProcessEnv, isRoot?: boolean }} machine
 * @returns {Way}
 */
export function chooseWay({ env = process.env, isRoot = process.getuid?.() === 0 } = {}) {
  const path = findProgram(SERVERS, env);
  if (path) return { kind: 'binary', path };
  if (composeAnswers(env)) return { kind: 'compose' };
  const steps = installSteps(env, isRoot);
  if (steps) return { kind: 'install', steps };
  throw new SetUpError(NO_WAY);
}

/** @returns {{ kind: 'binary', path: string } | { kind: 'compose' }} */
export function setUpRedis() {
  const way = chooseWay();
  if (way.kind !== 'install') return way;
  console.log(`No redis-server, no valkey-server and no Docker engine here. Installing Redis:`);
  for (const [program = '', ...args] of way.steps) {
    console.log(`  ${[program, ...args].join(' ')}`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    if (!runVisibly(program, args, { env })) throw new SetUpError(`That failed.\n\n${NO_WAY}`);
  }
  const path = findProgram(SERVERS);
  if (!path) throw new SetUpError(`Redis was installed, but is not on the PATH.\n\n${NO_WAY}`);
  return { kind: 'binary', path };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {boolean} isRoot
 * @returns {string[][] | undefined}
 */
function installSteps(env, isRoot) {
  if (findProgram(['apt-get'], env)) {
    if (isRoot) return aptSteps([]);
    // -n: a question for a password in the middle of a test run would look like a hang.
    const sudo = findProgram(['sudo'], env);
    if (sudo && succeeds(sudo, ['-n', 'true'], { env })) {
      return aptSteps(['sudo', '-n', 'DEBIAN_FRONTEND=noninteractive']);
    }
  }
  return findProgram(['brew'], env) ? [['brew', 'install', 'redis']] : undefined;
}

/** @param {string[]} prefix */
function aptSteps(prefix) {
  // Debian starts a service of its own on port 6379, where it starts services at all; nothing here uses or ends it.
  return [
    [...prefix, 'apt-get', 'update'],
    [...prefix, 'apt-get', 'install', '--yes', '--no-install-recommends', 'redis-server'],
  ];
}

const NO_WAY = `This needs real Redis, and found no way to get it. One of these is enough:
  - redis-server or valkey-server on the PATH (Debian and Ubuntu: apt-get install redis-server; Fedora: dnf install
    valkey; Alpine: apk add redis; macOS: brew install redis)
  - a running Docker engine with the compose plugin (docker info and docker compose version both answer)
  - apt-get as root or with sudo that asks for no password, or brew: then this installs it by itself`;
