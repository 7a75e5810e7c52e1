import { composeAnswers } from './compose.mjs';
import { install, installSteps } from './install.mjs';
import { findProgram } from './programs.mjs';
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
  const steps = installSteps({ apt: 'redis-server', brew: 'redis' }, env, isRoot);
  if (steps) return { kind: 'install', steps };
  throw new SetUpError(NO_WAY);
}

/** @returns {{ kind: 'binary', path: string } | { kind: 'compose' }} */
export function setUpRedis() {
  const way = chooseWay();
  if (way.kind !== 'install') return way;
  console.log(`No redis-server, no valkey-server and no Docker engine here. Installing Redis:`);
  if (!install(way.steps)) throw new SetUpError(`That failed.\n\n${NO_WAY}`);
  const path = findProgram(SERVERS);
  if (!path) throw new SetUpError(`Redis was installed, but is not on the PATH.\n\n${NO_WAY}`);
  return { kind: 'binary', path };
}

const NO_WAY = `This needs real Redis, and found no way to get it. One of these is enough:
  - redis-server or valkey-server on the PATH (Debian and Ubuntu: apt-get install redis-server; Fedora: dnf install
    valkey; Alpine: apk add redis; macOS: brew install redis)
  - a running Docker engine with the compose plugin (docker info and docker compose version both answer)
  - apt-get as root or with sudo that asks for no password, or brew: then this installs it by itself`;
