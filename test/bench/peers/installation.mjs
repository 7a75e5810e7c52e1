import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./candidates.mjs').Candidate} Candidate */
/** @typedef {{ folder: string, versions: Record<string, string> }} Installed */

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const APPS = fileURLToPath(new URL('apps', import.meta.url));
const FLAGS = [
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--ignore-scripts',
  '--loglevel=error',
];
const SHOWN = ['nestjs-redlock', '@node-idempotency/nestjs', '@nestarc/idempotency', '@nestjs/core'];

/**
 * Installs each package once, in a folder of its own, with the application.
 * @param {string} root
 * @param {{ dist?: string | undefined, tarballs: readonly string[] }} from
 * @returns {(candidate: Candidate) => Promise<Installed>}
 */
export function installer(root, { dist, tarballs }) {
  /** @type {Map<string, Installed | Error>} */
  const done = new Map();
  const local = new Map(tarballs.map(toTarball));
  return async ({ install, packages }) => {
    const known = done.get(install) ?? tried(() => withOrigins(installed(join(root, install), versionsOf(packages))));
    done.set(install, known);
    if (known instanceof Error) throw known;
    return known;
  };

  /** @param {Installed} done @returns {Installed} */
  function withOrigins({ folder, versions }) {
    const each = Object.entries(versions).map(([name, version]) => {
      const origin = local.get(name)?.origin;
      return [name, origin === undefined ? version : `${version} (${origin})`];
    });
    return { folder, versions: Object.fromEntries(each) };
  }

  /** @param {Record<string, string>} packages */
  function versionsOf(packages) {
    const each = Object.entries(packages).map(([name, version]) => {
      if (version === 'packed') return [name, `file:${packed(root, dist)}`];
      const tarball = local.get(name);
      return [name, tarball === undefined ? version : `file:${resolve(tarball.path)}`];
    });
    return Object.fromEntries(each);
  }
}

/** @param {string} text name=path or name=path=origin @returns {[string, { path: string, origin?: string }]} */
function toTarball(text) {
  const [name = '', path = '', origin] = text.split('=');
  return [name, { path, ...(origin !== undefined && { origin }) }];
}

/** @param {() => Installed} act @returns {Installed | Error} */
function tried(act) {
  try {
    return act();
  } catch (error) {
    return /** @type {Error} */ (error);
  }
}

/** @param {string} folder @param {Record<string, string>} dependencies @returns {Installed} */
function installed(folder, dependencies) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  npm(['install', '--install-links', ...FLAGS], folder);
  cpSync(APPS, join(folder, 'apps'), { recursive: true });
  return { folder, versions: Object.fromEntries(SHOWN.flatMap((name) => versionOf(folder, name))) };
}

/** @param {string} folder @param {string} name @returns {[string, string][]} */
function versionOf(folder, name) {
  try {
    const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    return [[name, String(JSON.parse(text).version)]];
  } catch {
    return [];
  }
}

/** Packs what is built, beside the working tree: others may be building there. @param {string} root @param {string} [built] */
function packed(root, built) {
  const folder = join(root, 'package');
  const target = join(root, 'packed');
  mkdirSync(target);
  mkdirSync(folder);
  cpSync(join(PROJECT, 'package.json'), join(folder, 'package.json'));
  const dist = join(folder, 'dist');
  if (built === undefined) run(process.execPath, ['.ci/build.mjs', dist], PROJECT);
  else for (const half of ['esm', 'cjs', 'cli']) cpSync(join(built, half), join(dist, half), { recursive: true });
  npm(['pack', '--ignore-scripts', '--pack-destination', target, '--loglevel=error'], folder);
  return join(target, readdirSync(target)[0] ?? '');
}

/** @param {string[]} args @param {string} cwd */
function npm(args, cwd) {
  run('npm', args, cwd);
}

/** @param {string} program @param {string[]} args @param {string} cwd */
function run(program, args, cwd) {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' });
  if (status === 0) return;
  const reason = /E\w+\b.*|.*not found.*|.*error.*/i.exec(stderr)?.[0] ?? '';
  throw new Error(`could not be installed: ${program} ${args[0]} ended with ${status} (${reason.trim()})`);
}
