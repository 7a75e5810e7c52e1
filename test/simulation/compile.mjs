import { transform } from '@swc/core';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['lib/core', 'lib/memory', 'lib/redis', 'test/simulation'];
const FILES = ['test/support/command-words.ts', 'test/support/seeded-random.ts'];
/** @type {import('@swc/core').Options} */
const OPTIONS = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'es6' },
  sourceMaps: 'inline',
  swcrc: false,
};

const IOREDIS = `
export class Command {
  constructor(name) {
    this.name = name;
    this.promise = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
  }
}
export class Redis {
  constructor() {
    throw new Error('the simulation has connections of its own');
  }
}
`;

/**
 * A change of one source file: `text` stands in it exactly once.
 * @typedef {{ readonly file: string, readonly text: string, readonly replacement: string }} Patch
 */

/**
 * Compiles the simulation and what it simulates into a temporary folder, with some protection taken out of it or with none.
 * @param {readonly Patch[]} patches
 */
export async function compileSimulation(patches = []) {
  const folder = await mkdtemp(join(tmpdir(), 'redlock-simulation-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeStub(join(folder, 'node_modules/ioredis'));
  const found = await Promise.all(FOLDERS.map(sourcesIn));
  const sources = [...found.flat(), ...FILES];
  const strays = patches.filter(({ file }) => !sources.includes(file));
  if (strays.length > 0) throw new Error(`there is no ${strays.map(({ file }) => file).join(', ')} to patch`);
  await Promise.all(sources.map((file) => compile(folder, file, patches)));
  return {
    main: join(folder, 'test/simulation/main.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * Of ioredis commands only are made here, which settle as they do there; whatever else were used would be missing.
 * @param {string} folder
 */
async function writeStub(folder) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  await writeFile(join(folder, 'index.js'), IOREDIS);
}

/** @param {string} folder */
async function sourcesIn(folder) {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  return names.filter((name) => /(?<!\.spec)\.ts$/.test(name)).map((name) => `${folder}/${name}`);
}

/**
 * @param {string} folder
 * @param {string} file
 * @param {readonly Patch[]} patches
 */
async function compile(folder, file, patches) {
  let source = await readFile(join(ROOT, file), 'utf8');
  for (const patch of patches) if (patch.file === file) source = patched(source, patch);
  const { code } = await transform(source, { ...OPTIONS, filename: join(ROOT, file) });
  const target = join(folder, file.replace(/\.ts$/, '.js'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
}

/**
 * @param {string} source
 * @param {Patch} patch
 */
function patched(source, { file, text, replacement }) {
  const parts = source.split(text);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times what is to be patched: ${text}`);
  return parts.join(replacement);
}
