import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The first of the programs that is on the PATH, as a full path.
 * @param {string[]} names
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined}
 */
export function findProgram(names, env = process.env) {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // absent or not ours to run: the search goes on
  }
}

/**
 * Whether the command ends well within the time; it is shown nothing and shows nothing.
 * @param {string} program
 * @param {string[]} args
 * @param {{ env: NodeJS.ProcessEnv, timeout?: number }} options `timeout` in ms
 */
export function succeeds(program, args, { env, timeout = 5_000 }) {
  return spawnSync(program, args, { env, timeout, stdio: 'ignore', killSignal: 'SIGKILL' }).status === 0;
}

/**
 * Runs a command in plain sight.
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string }} options
 */
export function runVisibly(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
  if (error) throw error;
  return status === 0;
}
