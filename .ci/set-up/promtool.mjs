import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findProgram, runVisibly } from './programs.mjs';

/** What to do where there is no promtool, and no apt-get or brew that gives it. */
export const NO_PROMTOOL =
  'promtool is missing, which runs the alert rules: put it on the PATH (Debian and Ubuntu: package prometheus; macOS: brew install prometheus; ' +
  'else https://prometheus.io/download/), or run npm test, which fetches it where apt-get or brew can';

/**
 * The promtool of this machine, or the one that was fetched.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} its path
 */
export function findPromtool(env = process.env) {
  const fetched = join(folderOf(env), 'usr', 'bin', 'promtool');
  return findProgram(['promtool'], env) ?? (existsSync(fetched) ? fetched : undefined);
}

/**
 * Fetches promtool where it is missing. Debian's package is unpacked and not installed, since it would start a server.
 * Without promtool the tests of the alert rules fail, and say what to install.
 * @param {NodeJS.ProcessEnv} env
 */
export function setUpPromtool(env = process.env) {
  if (findPromtool(env)) return;
  const isFetched = findProgram(['apt-get'], env) ? unpackDebian(env) : installByBrew(env);
  if (!isFetched) console.log(`${NO_PROMTOOL}.`);
}

/** @param {NodeJS.ProcessEnv} env */
function unpackDebian(env) {
  const folder = folderOf(env);
  console.log(`No promtool here. Unpacking that of the package prometheus (20 MB) into ${folder}:`);
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, 'new-'));
  const run = (/** @type {[string, ...string[]]} */ ...[program, ...args]) => {
    console.log(`  ${[program, ...args].join(' ')}`);
    return runVisibly(program, args, { cwd: work, env });
  };
  try {
    // As npm test did for Redis: only root may renew the lists of packages.
    const isThere =
      run('apt-get', 'download', 'prometheus') ||
      (run('apt-get', 'update') && run('apt-get', 'download', 'prometheus'));
    const [file] = readdirSync(work);
    if (!isThere || file === undefined || !run('dpkg-deb', '--extract', file, 'files')) return false;
    mkdirSync(join(folder, 'usr', 'bin'), { recursive: true });
    renameSync(join(work, 'files', 'usr', 'bin', 'promtool'), join(folder, 'usr', 'bin', 'promtool'));
    return true;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {NodeJS.ProcessEnv} env */
function installByBrew(env) {
  if (!findProgram(['brew'], env)) return false;
  console.log('No promtool here. Installing it: brew install prometheus');
  return runVisibly('brew', ['install', 'prometheus'], { env });
}

/** @param {NodeJS.ProcessEnv} env */
function folderOf(env) {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'nestjs-redlock', 'prometheus');
}
