import { execaNode } from 'execa';

/** @typedef {import('./lifetime.mjs').Lifetime} Lifetime */
/** @typedef {{ name: string, args: string[], env?: NodeJS.ProcessEnv }} Program */

/** Runs a Node program to its end. @param {Lifetime} lifetime @param {Program} program */
export async function run(lifetime, program) {
  const result = await start(lifetime, program);
  if (result.failed) throw ended(program.name, result);
}

/**
 * Two replicas of the built app on free ports. The demo ends with the first of them that ends.
 * @param {Lifetime} lifetime @param {NodeJS.ProcessEnv} settings
 * @returns {Promise<string[]>} their addresses
 */
export function startReplicas(lifetime, settings) {
  const defaults = { LOG_LEVELS: '>=warn', NODE_ENV: 'development' };
  const env = { ...defaults, ...process.env, ...settings, HOST: '127.0.0.1', PORT: '0', LIVE_EVENTS: 'true' };
  const args = ['--enable-source-maps', 'dist/sample-app/main.js'];
  return Promise.all(['replica 1', 'replica 2'].map((name) => startReplica(lifetime, { name, args, env })));
}

/** @param {Lifetime} lifetime @param {Program} program */
async function startReplica(lifetime, program) {
  const replica = start(lifetime, program);
  lifetime.atEnd(() => replica);
  const failure = replica.then((result) => ended(program.name, result));
  void failure.then((error) => lifetime.stop(error));
  const message = await replica.getOneMessage().catch(async () => Promise.reject(await failure));
  return /** @type {{ url: string }} */ (message).url;
}

/** Shows its lines with its name before each, and asks it to end when the lifetime is over. @param {Lifetime} lifetime @param {Program} program */
function start({ signal }, { name, args: [file = '', ...args], env }) {
  function* named(/** @type {unknown} */ line) {
    yield `${name} | ${String(line)}`;
  }
  /** @type {[typeof named, 'inherit']} */
  const output = [named, 'inherit'];
  const stdio = /** @type {const} */ ({ stdin: 'ignore', stdout: output, stderr: output, buffer: false });
  const ending = /** @type {const} */ ({ reject: false, cancelSignal: signal, forceKillAfterDelay: 8_000 });
  return execaNode(file, args, { ...stdio, ...ending, ipc: true, env });
}

/** @param {string} name @param {{ signal?: string, exitCode?: number }} result */
function ended(name, { signal, exitCode }) {
  return new Error(`${name} ended (${signal ?? `exit code ${exitCode}`})`);
}
