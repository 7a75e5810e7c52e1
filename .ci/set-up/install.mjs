import { findProgram, runVisibly, succeeds } from './programs.mjs';

/**
 * The commands that install a package on this machine; undefined where none can without asking for a password.
 * @param {{ apt: string, brew: string }} names
 * @param {NodeJS.ProcessEnv} env
 * @param {boolean} isRoot
 * @returns {string[][] | undefined}
 */
export function installSteps({ apt, brew }, env, isRoot) {
  if (findProgram(['apt-get'], env)) {
    if (isRoot) return aptSteps(apt, []);
    // -n: a question for a password in the middle of a test run would look like a hang.
    const sudo = findProgram(['sudo'], env);
    if (sudo && succeeds(sudo, ['-n', 'true'], { env })) {
      return aptSteps(apt, ['sudo', '-n', 'DEBIAN_FRONTEND=noninteractive']);
    }
  }
  return findProgram(['brew'], env) ? [['brew', 'install', brew]] : undefined;
}

/**
 * Runs the commands, and shows each before it runs.
 * @param {string[][]} steps
 * @param {NodeJS.ProcessEnv} env
 * @returns {boolean} whether all have succeeded
 */
export function install(steps, env = process.env) {
  return steps.every(([program = '', ...args]) => {
    console.log(`  ${[program, ...args].join(' ')}`);
    return runVisibly(program, args, { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } });
  });
}

/** @param {string} name @param {string[]} prefix */
function aptSteps(name, prefix) {
  // Debian may start a service of its own; nothing here uses or ends it.
  return [
    [...prefix, 'apt-get', 'update'],
    [...prefix, 'apt-get', 'install', '--yes', '--no-install-recommends', name],
  ];
}
