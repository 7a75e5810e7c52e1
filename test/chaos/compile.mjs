import { transform } from '@swc/core';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['lib', 'test/support', 'test/chaos'];
/** @type {import('@swc/core').Options} */
const SWC = {
  swcrc: false,
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2022',
  },
};

/** A change to the source of the library that takes one protection away. */
/** @typedef {{ readonly file: string, readonly from: string | RegExp, readonly to: string }} Change */
/** @typedef {{ readonly folder: string, remove(): Promise<void> }} Compiled */

/**
 * The library and this harness as plain JavaScript in a temporary folder: what client processes run stays as it is
 * while the source is edited.
 * @param {readonly Change[]} [changes]
 * @param {readonly string[]} [sources] folders
 * @returns {Promise<Compiled>}
 */
export async function compile(changes = [], sources = SOURCES) {
  const folder = await mkdtemp(join(tmpdir(), 'redlock-chaos-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const name of ['node_modules', '.ci']) await symlink(join(ROOT, name), join(folder, name));
  const files = (await Promise.all(sources.map(filesOf))).flat();
  const open = new Set(changes);
  await Promise.all(files.map((file) => compileFile(file, { folder, changes, open })));
  const [missed] = open;
  const remove = () => rm(folder, { recursive: true, force: true });
  if (missed !== undefined) {
    await remove();
    throw new Error(`${missed.file} has nothing that reads ${missed.from}: adapt the sabotage`);
  }
  return { folder, remove };
}

/** @param {string} source @returns {Promise<string[]>} */
async function filesOf(source) {
  const entries = await readdir(join(ROOT, source), { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const isSource = (/** @type {string} */ file) => !file.endsWith('.spec.ts') && !/[\\/]node_modules[\\/]/.test(file);
  return files.filter(isSource).map((file) => file.slice(ROOT.length));
}

/**
 * @param {string} file
 * @param {{ folder: string, changes: readonly Change[], open: Set<Change> }} into `open`: changes not made so far
 */
async function compileFile(file, { folder, changes, open }) {
  const target = join(folder, file);
  await mkdir(dirname(target), { recursive: true });
  if (!file.endsWith('.ts')) return copyFile(join(ROOT, file), target);
  let source = await readFile(join(ROOT, file), 'utf8');
  for (const change of changes.filter((one) => one.file === file)) {
    const changed = source.replace(change.from, () => change.to);
    if (changed !== source) open.delete(change);
    source = changed;
  }
  const { code } = await transform(source, { ...SWC, filename: file });
  await writeFile(target.replace(/\.ts$/, '.js'), code);
}
