import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { install, installSteps } from './install.mjs';
import { findProgram } from './programs.mjs';

/** Where Debian has the programs of the server. */
const DEBIAN = '/usr/lib/postgresql';

/** What to do if there is no Postgres, and no apt-get or brew that gives it. */
export const NO_POSTGRES =
  'Postgres is missing, so that the tests of exactly-once replies are skipped: install it (Debian and Ubuntu: package postgresql; macOS: ' +
  'brew install postgresql), or name one by REDLOCK_TEST_POSTGRES=postgres://..';

/**
 * The path of a program of the Postgres server.
 * @param {string} program
 * @param {NodeJS.ProcessEnv} env
 * @param {string} debian
 */
export function findPostgres(program, env = process.env, debian = DEBIAN) {
  const PATH = versionsIn(debian).map((version) => join(debian, version, 'bin'));
  return findProgram([program], env) ?? findProgram([program], { ...env, PATH: PATH.join(':') });
}

/**
 * Installs Postgres if it is missing.
 * @param {{ env?: NodeJS.ProcessEnv, isRoot?: boolean, debian?: string }} machine
 */
export function setUpPostgres({ env = process.env, isRoot = process.getuid?.() === 0, debian = DEBIAN } = {}) {
  if (env['REDLOCK_TEST_POSTGRES'] !== undefined || findPostgres('initdb', env, debian)) return;
  const steps = installSteps({ apt: 'postgresql', brew: 'postgresql' }, env, isRoot);
  if (steps) console.log('No Postgres here. Installing it:');
  if (!steps || !install(steps, env)) console.log(`${NO_POSTGRES}.`);
}

/** The newest comes first. @param {string} folder */
function versionsIn(folder) {
  try {
    return readdirSync(folder).sort((one, other) => Number(other) - Number(one));
  } catch {
    return [];
  }
}
