import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runVisibly } from './programs.mjs';
import { SetUpError } from './set-up-error.mjs';

/** @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, devOptional?: boolean }} Entry */
/** @typedef {{ packages: Record<string, Entry> }} Lock */

/**
 * Installs what package-lock.json names, if it is not there yet.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
export function setUpPackages(root, env = process.env) {
  const wanted = readLock(join(root, 'package-lock.json'));
  if (areInstalled(wanted, readLock(join(root, 'node_modules/.package-lock.json')))) return;
  console.log('Installing packages: npm ci');
  const [program, ...args] = npm(env);
  // --include=dev: what is tested and started here needs them, also where NODE_ENV says production.
  // Its warnings are about tools of this project that name newer versions of Node.js, and nothing to be done about.
  const flags = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  if (!runVisibly(program, [...args, 'ci', ...flags], { cwd: root, env })) {
    throw new SetUpError('npm ci failed: its own words are above.');
  }
}

/**
 * Whether npm's own record of what it installed agrees with the lock.
 * @param {Lock | undefined} wanted
 * @param {Lock | undefined} installed
 */
export function areInstalled(wanted, installed) {
  if (!wanted || !installed) return false;
  const { '': _project, ...packages } = wanted.packages;
  const isExpected = Object.entries(packages).every(([path, entry]) => fits(entry, installed.packages[path]));
  return isExpected && Object.keys(installed.packages).every((path) => path in packages);
}

/**
 * @param {Entry} wanted
 * @param {Entry | undefined} found
 */
function fits(wanted, found) {
  // Packages for other systems are in the lock, and are left out here.
  if (!found) return Boolean(wanted.optional ?? wanted.devOptional);
  return wanted.version === found.version && wanted.integrity === found.integrity;
}

/**
 * @param {string} path
 * @returns {Lock | undefined}
 */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // absent or broken: both mean that npm has to do its work
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {[string, ...string[]]} the npm that runs this script, if one does
 */
export function npm(env) {
  const script = env.npm_execpath;
  return script?.endsWith('npm-cli.js') ? [process.execPath, script] : ['npm'];
}
