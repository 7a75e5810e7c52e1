// Would they notice? What breaks the package, and which consumers have to fail then.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} Sabotage
 * @property {string} name
 * @property {string} says
 * @property {readonly string[]} noticedBy
 * @property {(folder: string) => void} breakIt the folder is that of the unpacked tarball
 */

/** @type {readonly Sabotage[]} */
export const SABOTAGES = [
  {
    name: 'no-module-sync',
    says: 'exports without the condition that makes import and require meet in one file',
    noticedBy: ['nest12-dual-load', 'nest12-vitest-dual-load'],
    breakIt: (folder) => changeManifest(folder, (manifest) => delete manifest.exports['.']['module-sync']),
  },
  {
    name: 'optional-import',
    says: 'the types of the root import an optional package',
    noticedBy: ['types-node10', 'types-node16-cjs', 'types-node16-esm', 'types-nodenext-esm', 'types-bundler'],
    breakIt: (folder) =>
      eachFormat(
        folder,
        /^index\.d\.ts$/,
        (text) => `import type { ClientProxy } from '@nestjs/microservices';\n${text}`,
      ),
  },
  {
    name: 'no-types-versions',
    says: 'no "typesVersions", by which compilers that know no exports find the testing entry point',
    noticedBy: ['types-node10'],
    breakIt: (folder) => changeManifest(folder, (manifest) => delete manifest.typesVersions),
  },
  {
    name: 'no-cjs',
    says: 'the CommonJS half is missing',
    noticedBy: ['types-node16-cjs', 'nest11-swc-jest', 'nest11-ts-jest'],
    breakIt: (folder) => rmSync(join(folder, 'dist/cjs'), { recursive: true }),
  },
  {
    name: 'no-lock',
    says: '@WithLock does nothing',
    noticedBy: ['nest11-swc-jest', 'nest12-jest', 'nest12-vitest', 'nest12-express', 'own-ioredis-5'],
    breakIt: (folder) =>
      eachFormat(folder, /\.js$/, (text) =>
        text.replace(/(function WithLock\(.*\{)/, '$1\n    return () => undefined;'),
      ),
  },
  {
    name: 'no-once',
    says: '@Idempotent does nothing',
    noticedBy: ['nest11-swc-jest', 'nest12-express'],
    breakIt: (folder) =>
      eachFormat(folder, /\.js$/, (text) =>
        text.replace(/(function Idempotent\(.*\{)/, '$1\n    return () => undefined;'),
      ),
  },
];

/** @param {string} folder @param {(manifest: any) => void} change */
function changeManifest(folder, change) {
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  change(manifest);
  writeFileSync(file, JSON.stringify(manifest));
}

/** @param {string} folder @param {RegExp} files @param {(text: string) => string} change */
function eachFormat(folder, files, change) {
  for (const format of ['esm', 'cjs']) {
    const home = join(folder, 'dist', format);
    const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => files.test(name));
    const changed = names.filter((name) => changeFile(join(home, name), change));
    if (changed.length !== 1) throw new Error(`${home} has not one place to break: adapt the sabotage`);
  }
}

/** @param {string} path @param {(text: string) => string} change @returns {boolean} whether there was something to change */
function changeFile(path, change) {
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  if (changed !== text) writeFileSync(path, changed);
  return changed !== text;
}
