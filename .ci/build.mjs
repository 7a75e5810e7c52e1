// Two outputs of one source: ESM for every Node that can require() it, CommonJS for Jest and older tools.
import { spawnSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
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
  // The package is "type": "module"; this makes its CommonJS half what it is.
  if (folder === 'cjs') writeFileSync(`${root}/${fresh}/package.json`, '{ "type": "commonjs" }\n');
  rmSync(`${root}/dist/${folder}`, { recursive: true, force: true });
  renameSync(`${root}/${fresh}`, `${root}/dist/${folder}`);
}

for (const folder of ['esm.new', 'cjs.new']) rmSync(`${root}/dist/${folder}`, { recursive: true, force: true });
build('esm');
build('cjs', '--module', 'commonjs', '--moduleResolution', 'bundler');
