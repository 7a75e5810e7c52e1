import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { executeNpm } from './execute.mjs';

export const APPS = fileURLToPath(new URL('../apps', import.meta.url));
// No lock: the tarball is another one each time. Install scripts: none of these packages needs its own.
const FLAGS = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];

/**
 * Installs the tarball with what an application has beside it.
 * @param {import('../installs.mjs').Install} install
 * @param {{ root: string, tarball: string }} where
 * @returns {Promise<string>} the folder
 */
export async function installPackages({ name, packages, local = [], absent = [] }, { root, tarball }) {
  const began = performance.now();
  const folder = join(root, name);
  mkdirSync(folder);
  for (const app of local) cpSync(join(APPS, app), join(folder, 'local', app), { recursive: true });
  const ours = { 'nestjs-redlock': `file:${tarball}` };
  const theirs = Object.fromEntries(local.map((app) => [app, `file:local/${app}`]));
  writeManifest(folder, { name, private: true, dependencies: { ...ours, ...theirs, ...packages } });
  let said = '';
  const hear = (/** @type {string} */ text) => void (said += text);
  // Copies, as from a registry: a link would lead to files that see no packages beside them.
  await executeNpm(['install', '--install-links', ...FLAGS], { cwd: folder, hear }).catch((error) => {
    throw new Error(`${said}${error.message}`);
  });
  const unwanted = absent.filter((one) => existsSync(join(folder, 'node_modules', one)));
  if (unwanted.length > 0) throw new Error(`${name} is to be without ${unwanted.join(', ')}: what brings it in?`);
  console.log(`installed  ${name.padEnd(24)} ${secondsSince(began)}`);
  return folder;
}

/** @param {string} folder @param {object} content */
export function writeManifest(folder, content) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(content, undefined, 2));
}

/** @param {number} began @returns {string} */
export function secondsSince(began) {
  return `${((performance.now() - began) / 1e3).toFixed(1).padStart(6)} s`;
}
