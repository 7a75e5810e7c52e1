import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execute, executeNpm } from './execute.mjs';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Builds and packs the package, once for all consumers.
 * @param {string} root
 * @param {import('./sabotage.mjs').Sabotage} [sabotage]
 * @returns {Promise<string>} the path of the tarball
 */
export async function pack(root, sabotage) {
  console.log('packing');
  const tarball = await packFolder(PROJECT, join(root, 'packed'));
  if (sabotage === undefined) return tarball;
  console.log(`breaking it: ${sabotage.says}`);
  await executeVisibly(['tar', '-xzf', tarball, '-C', root], root);
  sabotage.breakIt(join(root, 'package'));
  return packFolder(join(root, 'package'), join(root, 'broken'), '--ignore-scripts');
}

/** @param {string} folder @param {string} target @param {string[]} options */
async function packFolder(folder, target, ...options) {
  mkdirSync(target);
  let said = '';
  const hear = (/** @type {string} */ text) => void (said += text);
  await executeNpm(['pack', '--pack-destination', target, ...options], { cwd: folder, hear }).catch((error) => {
    throw new Error(`${said}${error.message}`);
  });
  const [file = ''] = readdirSync(target);
  return join(target, file);
}

/** @param {readonly string[]} command @param {string} cwd */
function executeVisibly(command, cwd) {
  return execute(command, { cwd, hear: (text) => process.stdout.write(text) });
}
