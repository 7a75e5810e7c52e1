import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('database-process.mjs', import.meta.url));

/**
 * The address of a Postgres that both replicas reach: the configured one, else PGlite in a process of its own.
 * @param {import('./household.mjs').Household} household
 * @returns {Promise<string>}
 */
export async function openDatabase(household) {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  const database = household.start({ name: 'database', role: 'database', args: [PROGRAM], shown: true });
  const { url } = await database.firstMessage();
  return url;
}
