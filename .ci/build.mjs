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
/** Where this process builds, and where it moves what was there: no other process that builds at the same time uses these. */
const fresh = (/** @type {string} */ folder) => `${dist}/${folder}.${process.pid}.new`;
const before = (/** @type {string} */ folder) => `${dist}/${folder}.${process.pid}.before`;

/**
 * Compiles beside what is there and then takes its place: somebody may be loading the package meanwhile.
 * @param {string} folder
 * @param {string[]} settings
 */
async function build(folder, ...settings) {
  const args = [compiler, '--project', 'tsconfig.build.json', '--outDir', fresh(folder), ...settings];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  openTypes(fresh(folder));
  if (folder === 'esm') await bundle(fresh(folder));
  // The package is "type": "module"; this makes its CommonJS half what it is.
  if (folder === 'cjs') writeFileSync(`${fresh(folder)}/package.json`, '{ "type": "commonjs" }\n');
  takePlace(folder);
}

/**
 * Moves what is there away, and the new files to its place. Another process may do the same at this moment, with files of the same source.
 * @param {string} folder
 */
function takePlace(folder) {
  const place = `${dist}/${folder}`;
  move(place, before(folder), 'ENOENT');
  move(fresh(folder), place, 'ENOTEMPTY');
}

/**
 * @param {string} from
 * @param {string} to
 * @param {string} code of the error that is no failure: nothing is there, or another process was quicker
 */
function move(from, to, code) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== code) throw error;
  }
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

process.on('exit', () => {
  for (const folder of ['esm', 'cjs', 'cli'].flatMap((name) => [fresh(name), before(name)]))
    rmSync(folder, { recursive: true, force: true });
});
await build('esm');
// The same files again, whose types were checked above.
await build('cjs', '--module', 'commonjs', '--moduleResolution', 'bundler', '--noCheck');
await bundleCli(fresh('cli'));
takePlace('cli');
