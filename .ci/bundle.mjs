// Of the compiler's ES modules one file for each entry point, and one for what both have: loaded one by one, the files
// are most of what an application spends on this package at its start. CommonJS, which loads them faster, keeps its own.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { rollup } from 'rollup';

const ENTRIES = ['index', 'idempotency/index', 'opentelemetry/index', 'terminus/index', 'testing/index'];
/** By this name `lib/engine/errors.ts` knows the frames of this package. */
const SHARED = 'redlock.shared';
/** Node loads what an ES module imports out of sight of those who trace `require('ioredis')`, so that a CommonJS file asks for it. */
const IOREDIS = { file: 'ioredis.cjs', text: "module.exports = require('ioredis');\n" };

/**
 * Puts the files together as they are, so that a class, a stack and a profile say the same as without: nothing is minified,
 * lowered or left out.
 * @param {string} folder what the compiler wrote; the declarations in it stay
 */
export async function bundle(folder) {
  const input = Object.fromEntries(ENTRIES.map((entry) => [entry, join(folder, `${entry}.js`)]));
  const bundled = await rollup({ input, external: isOfOthers, treeshake: false, onLog: refuse });
  for (const file of filesOf(folder, '.js')) rmSync(join(folder, file));
  await bundled.write({
    dir: folder,
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    manualChunks: (id) => (isOfOneEntry(relative(folder, id)) ? undefined : SHARED),
    hoistTransitiveImports: false,
    minifyInternalExports: false,
    paths: { ioredis: `./${IOREDIS.file}` },
  });
  writeFileSync(join(folder, IOREDIS.file), IOREDIS.text);
  await bundled.close();
}

/** @param {string} folder @param {string} ending @returns {string[]} by their paths in the folder */
export function filesOf(folder, ending) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(ending));
}

/** @param {string} id */
function isOfOthers(id) {
  return !id.startsWith('.') && !isAbsolute(id);
}

/** @param {string} file */
function isOfOneEntry(file) {
  return file === 'index.js' || /^(idempotency|opentelemetry|terminus|testing)[\\/]/.test(file);
}

/** @param {import('rollup').LogLevel} _level @param {import('rollup').RollupLog} log */
function refuse(_level, log) {
  // The compiler's helpers ask for a `this` that no ES module has, and do without.
  if (log.code !== 'THIS_IS_UNDEFINED') throw new Error(`The bundle: ${log.message}`);
}
