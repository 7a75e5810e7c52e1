// What `npm test` and `npm start` need, on a machine that has Node and nothing else: built-in modules only.
import { fileURLToPath } from 'node:url';
import { setUpChromium } from './set-up/chromium.mjs';
import { startComposeNodes } from './set-up/compose.mjs';
import { setUpPackages } from './set-up/packages.mjs';
import { setUpPostgres } from './set-up/postgres.mjs';
import { setUpPromtool } from './set-up/promtool.mjs';
import { setUpRedis } from './set-up/redis.mjs';
import { SetUpError } from './set-up/set-up-error.mjs';

export { stopComposeNodes } from './set-up/compose.mjs';
export { setUpPackages, setUpRedis };

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Packages, and five nodes or the program to start them with. Rejects with a message that is meant for the reader.
 * @returns {Promise<{ redis: { kind: 'binary', path: string } | { kind: 'compose', nodes: string[], started: string[] } }>}
 */
export async function setUp() {
  checkNode();
  setUpPackages(ROOT);
  const redis = setUpRedis();
  return { redis: redis.kind === 'binary' ? redis : { kind: 'compose', ...startComposeNodes() } };
}

/**
 * Packages, and what the tests need to start nodes of their own.
 * @returns {NodeJS.ProcessEnv} the environment that tells them
 */
export function setUpTests() {
  checkNode();
  setUpPackages(ROOT);
  const redis = setUpRedis();
  setUpPromtool();
  setUpPostgres();
  setUpChromium();
  return redis.kind === 'compose' ? { ...process.env, REDLOCK_TEST_DOCKER: '1' } : process.env;
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new SetUpError(`This needs Node 20.19 or later, and runs on ${process.version}.`);
  }
}
