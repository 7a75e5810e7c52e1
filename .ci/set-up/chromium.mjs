import { install, installSteps } from './install.mjs';
import { findProgram } from './programs.mjs';

/** What to do if there is no Chromium, and no apt-get or brew that gives it. */
export const NO_CHROMIUM =
  'Chromium is missing, so that the tests of the playground are skipped: install it (Debian: package chromium), or name it by REDLOCK_TEST_CHROMIUM=/path';

/**
 * The path of the browser for the tests of pages; undefined if there is none.
 * @param {NodeJS.ProcessEnv} env
 */
export function findChromium(env = process.env) {
  return env['REDLOCK_TEST_CHROMIUM'] ?? findProgram(['chromium', 'chromium-browser', 'google-chrome'], env);
}

/**
 * Installs Chromium if it is missing.
 * @param {{ env?: NodeJS.ProcessEnv, isRoot?: boolean }} machine
 */
export function setUpChromium({ env = process.env, isRoot = process.getuid?.() === 0 } = {}) {
  if (findChromium(env) !== undefined) return;
  const steps = installSteps({ apt: 'chromium', brew: 'chromium' }, env, isRoot);
  if (steps) console.log('No Chromium here. Installing it:');
  if (!steps || !install(steps, env)) console.log(`${NO_CHROMIUM}.`);
}
