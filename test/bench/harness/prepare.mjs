// What is missing or older than its source is made, and said so.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const BENCH = fileURLToPath(new URL('..', import.meta.url));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LIBRARY = join(ROOT, 'dist/esm/index.js');

/** Installs the packages that the library is compared with, or others. @param {string} [folder] of their package.json */
export function installPeers(folder = BENCH) {
  const lock = changedAt(join(folder, 'package-lock.json'));
  if (changedAt(join(folder, 'node_modules/.package-lock.json')) >= lock) return;
  console.log(`Installing the packages to compare with (${relative(ROOT, folder)}/package.json) ...`);
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], folder);
}

/** Builds the library where that is older than its source. @returns {string} the path of the built library */
export function buildLibrary() {
  const newest = Math.max(...filesBelow(join(ROOT, 'lib')).map(changedAt));
  if (changedAt(LIBRARY) < newest) {
    console.log('Building the library ...');
    run('npm', ['run', '--silent', 'build'], ROOT);
  }
  return LIBRARY;
}

/** @param {string} program @param {string[]} args @param {string} cwd */
function run(program, args, cwd) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed in ${cwd}: ${error?.message ?? status}`);
}

/** @param {string} folder @returns {string[]} */
function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** @param {string} path */
function changedAt(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}
