import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { started } from '../../bench/harness/leaving.mjs';
import { npm } from '../../../.ci/set-up/packages.mjs';

/** Where, with what, for how many ms at most, and what hears its output. */
/** @typedef {{ cwd: string, env?: NodeJS.ProcessEnv, limit?: number, hear: (text: string) => void }} Surroundings */

/**
 * Starts a process that ends with this one at the latest.
 * @param {readonly string[]} command
 * @param {Surroundings} surroundings
 */
export function start([program = '', ...args], { cwd, env, limit, hear }) {
  const child = spawn(program, args, {
    cwd,
    env: { ...ownEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limit,
    killSignal: 'SIGKILL',
  });
  started(child);
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', hear);
  return child;
}

/**
 * Runs a command to its end.
 * @param {readonly string[]} command
 * @param {Surroundings} surroundings
 * @throws Error where it ends with anything but 0
 */
export async function execute(command, surroundings) {
  const child = start(command, { limit: 600_000, ...surroundings });
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code ?? signal} in ${surroundings.cwd}`);
}

/** @param {readonly string[]} args @param {Surroundings} surroundings */
export function executeNpm(args, surroundings) {
  return execute([...npm(process.env), ...args, '--loglevel=error'], surroundings);
}

/** Without what `npm run` says about this project: the consumers are not part of it. */
function ownEnvironment() {
  const isForeign = (/** @type {string} */ name) =>
    /^(npm_(package|lifecycle)_.*|npm_config_local_prefix|init_cwd|node_options|node_env)$/i.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isForeign(name)));
}
