import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findProgram, runVisibly, succeeds } from './programs.mjs';
import { SetUpError } from './set-up-error.mjs';

const FILE = fileURLToPath(new URL('../../docker-compose.yml', import.meta.url));
const NODES = ['1', '2', '3', '4', '5'];
const SERVICES = NODES.map((number) => `redis-${number}`);

/**
 * Whether there is an engine to talk to, and not only a client without one.
 * @param {NodeJS.ProcessEnv} env
 */
export function composeAnswers(env = process.env) {
  const docker = findProgram(['docker'], env);
  if (!docker) return false;
  return succeeds(docker, ['info'], { env }) && succeeds(docker, ['compose', 'version'], { env });
}

/**
 * Starts those of the five nodes of the compose file that do not run yet.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ nodes: string[], started: string[] }} the URLs of all, and the services that were not there before
 */
export function startComposeNodes(env = process.env) {
  const running = new Set(runningServices(env));
  if (!runVisibly('docker', ['compose', '--file', FILE, 'up', '--detach', '--wait', ...SERVICES], { env })) {
    throw new SetUpError('docker compose could not start the Redis nodes: its own words are above.');
  }
  return {
    nodes: NODES.map((number) => `redis://127.0.0.1:${env[`REDIS_${number}_PORT`] || `700${number}`}`),
    started: SERVICES.filter((service) => !running.has(service)),
  };
}

/**
 * Removes nodes that `startComposeNodes` started.
 * @param {string[]} started
 * @param {NodeJS.ProcessEnv} env
 */
export function stopComposeNodes(started, env = process.env) {
  if (started.length === 0) return true;
  return runVisibly('docker', ['compose', '--file', FILE, 'rm', '--stop', '--force', ...started], { env });
}

/** @param {NodeJS.ProcessEnv} env */
function runningServices(env) {
  const args = ['compose', '--file', FILE, 'ps', '--services', '--status', 'running'];
  return spawnSync('docker', args, { env, encoding: 'utf8' }).stdout.split('\n');
}
