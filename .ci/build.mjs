// Two outputs of one source: ESM for every Node that can require() it, CommonJS for Jest and older tools. And the command.
import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, filesOf } from './bundle.mjs';
import { bundleCli } from './bundle-cli.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
/** `node .ci/build.mjs [folder]` */
const dist = resolve(root, process.argv[2] ?? 'dist');

/**
 * Compiles beside what is there and then takes its place: somebody may be loading the package meanwhile.
 * @param {string} folder
 * @param {string[]} settings
 */
async function build(folder, ...settings) {
  const fresh = `${dist}/${folder}.new`;
  const args = [compiler, '--project', 'tsconfig.build.json', '--outDir', fresh, ...settings];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  openTypes(fresh);
  if (folder === 'esm') await bundle(fresh);
  // The package is "type": "module"; this makes its CommonJS half what it is.
  if (folder === 'cjs') writeFileSync(`${fresh}/package.json`, '{ "type": "commonjs" }\n');
  takePlace(folder);
}

/** @param {string} folder */
function takePlace(folder) {
  rmSync(`${dist}/${folder}`, { recursive: true, force: true });
  renameSync(`${dist}/${folder}.new`, `${dist}/${folder}`);
}

/**
 * Takes the marks of private members out of the declarations. A compiler knows nothing of "module-sync": to it each format
 * has a RedlockService of its own, and with the mark a CommonJS dependency's would not be an ES module's.
 * @param {string} folder
 */
function openTypes(folder) {
  for (const file of filesOf(folder, '.d.ts')) {
    const text = readFileSync(`${folder}/${file}`, 'utf8');
    writeFileSync(`${folder}/${file}`, text.replace(/^ +#private;\n/gm, ''));
  }
}

for (const folder of ['esm.new', 'cjs.new', 'cli.new']) rmSync(`${dist}/${folder}`, { recursive: true, force: true });
await build('esm');
await build('cjs', '--module', 'commonjs', '--moduleResolution', 'bundler');
await bundleCli(`${dist}/cli.new`);
takePlace('cli');
