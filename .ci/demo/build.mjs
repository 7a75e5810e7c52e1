import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './processes.mjs';

// Written last by their builds.
const LIB_BUILT = 'dist/cjs/package.json';
const SAMPLE_BUILT = 'dist/sample-app/main.js';
const TSC = 'node_modules/typescript/bin/tsc';

/**
 * Builds the package and, against it, the sample; what is up to date stays, so that a second start can be made while
 * the first one runs on these files.
 * @param {import('./lifetime.mjs').Lifetime} lifetime
 */
export async function build(lifetime) {
  if (isOutdated(LIB_BUILT, ['lib', 'tsconfig.json', 'tsconfig.build.json'])) {
    console.log('Building the package');
    await run(lifetime, { name: 'package build', args: ['.ci/build.mjs'] });
  }
  if (isOutdated(SAMPLE_BUILT, ['sample-app/src', 'sample-app/tsconfig.json', LIB_BUILT])) {
    console.log('Building the sample app');
    const args = [TSC, '--project', 'sample-app/tsconfig.json', '--noEmitOnError'];
    await run(lifetime, { name: 'sample build', args });
  }
}

/** @param {string} built @param {string[]} sources */
function isOutdated(built, sources) {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sources.flatMap(withContents).some((path) => statSync(path).mtimeMs >= builtAt);
}

/** The file, or the folder and all that is in it: a file that is gone shows in its folder's time. @param {string} path */
function withContents(path) {
  if (!statSync(path).isDirectory()) return [path];
  return [path, ...readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))];
}
