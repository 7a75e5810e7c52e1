import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { openDatabase } from './database.mjs';
import { guide } from './guide.mjs';
import { Interruption } from './interruption.mjs';
import { prepare } from './prepare.mjs';
import { isExactlyOnce, race } from './race.mjs';
import { startRedisNodes } from './redis-nodes.mjs';
import { startReplicas } from './replicas.mjs';
import { table } from './table.mjs';

/** @typedef {import('./household.mjs').Household} Household */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SETTINGS = 'sample-app/.env';

/**
 * Starts everything, runs the races and serves. The answer is the exit code: 0 where the lock did its work.
 * @param {Household} household
 * @param {{ once?: boolean }} options
 */
export async function launch(household, { once }) {
  process.chdir(ROOT);
  if (existsSync(SETTINGS)) process.loadEnvFile(SETTINGS);
  const found = await prepare(household);
  await build(household);
  const { replicas, nodes } = await household.unlessStopped(startAll(household, found));
  const exitCode = await household.unlessStopped(raceTwice(replicas));
  if (!once) await serveUntilInterrupted(household, guide(replicas, nodes));
  return exitCode;
}

/** @param {Household} household @param {import('./prepare.mjs').Found} found */
async function startAll(household, found) {
  const opening = 'nodes' in found ? found.nodes : startRedisNodes(household, found.program);
  const [nodes, databaseUrl] = await Promise.all([opening, openDatabase(household)]);
  const replicas = await startReplicas(household, { nodes: nodes.map(({ url }) => url), databaseUrl });
  console.log(
    `Two replicas, ${nodes.length} Redis nodes, one Postgres; fifty identical sign-ups at the same moment:\n`,
  );
  return { replicas, nodes };
}

/** @param {string[]} replicas */
async function raceTwice(replicas) {
  const unsafe = await race(replicas, '/unsafe/users');
  const locked = await race(replicas, '/users');
  console.log(table([unsafe, locked]));
  if (isExactlyOnce(locked)) return 0;
  console.error('\nPOST /users: there should be exactly one user, one bonus and one 201.');
  return 1;
}

/** @param {Household} household @param {string} text */
async function serveUntilInterrupted(household, text) {
  console.log(`\n${text}`);
  await household.untilStopped().catch((reason) => {
    if (!(reason instanceof Interruption)) throw reason;
  });
}
