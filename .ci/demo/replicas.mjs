import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../dist/sample-app/main.js', import.meta.url));
const NAMES = ['replica 1', 'replica 2'];

/**
 * Two replicas of the built app on free ports.
 * @param {import('./household.mjs').Household} household
 * @param {{ nodes: string[], databaseUrl: string }} surroundings
 * @returns {Promise<string[]>} their addresses
 */
export function startReplicas(household, { nodes, databaseUrl }) {
  const env = {
    LOG_LEVELS: '>=warn',
    NODE_ENV: 'development',
    ...process.env,
    HOST: '127.0.0.1',
    PORT: '0',
    REDLOCK_NODES: nodes.join(),
    DATABASE_URL: databaseUrl,
  };
  return Promise.all(NAMES.map((name) => startReplica(household, name, env)));
}

/**
 * @param {import('./household.mjs').Household} household
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
async function startReplica(household, name, env) {
  const args = ['--enable-source-maps', PROGRAM];
  const { url } = await household.start({ name, role: 'replica', args, env, shown: true }).firstMessage();
  return url;
}
