// Two outputs of one source: ESM for every Node that can require() it, CommonJS for Jest and older tools.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

/**
 * Compiles beside what is there and then takes its place: somebody may be loading the package meanwhile.
 * @param {string} folder
 * @param {string[]} settings
 */
function build(folder, ...settings) {
  const fresh = `dist/${folder}.new`;
  const args = [compiler, '--project', 'tsconfig.build.json', '--outDir', fresh, ...settings];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  openTypes(`${root}/${fresh}`);
  // The package is "type": "module"; this makes its CommonJS half what it is.
  if (folder === 'cjs') writeFileSync(`${root}/${fresh}/package.json`, '{ "type": "commonjs" }\n');
  rmSync(`${root}/dist/${folder}`, { recursive: true, force: true });
  renameSync(`${root}/${fresh}`, `${root}/dist/${folder}`);
}

/**
 * Takes the marks of private members out of the declarations. A compiler knows nothing of "module-sync": to it each format
 * has a RedlockService of its own, and with the mark a CommonJS dependency's would not be an ES module's.
 * @param {string} folder
 */
function openTypes(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
  for (const file of files) {
    const text = readFileSync(`${folder}/${file}`, 'utf8');
    writeFileSync(`${folder}/${file}`, text.replace(/^ +#private;\n/gm, ''));
  }
}

for (const folder of ['esm.new', 'cjs.new']) rmSync(`${root}/dist/${folder}`, { recursive: true, force: true });
build('esm');
build('cjs', '--module', 'commonjs', '--moduleResolution', 'bundler');
