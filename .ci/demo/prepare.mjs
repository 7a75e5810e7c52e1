import { setUp, setUpPackages, stopComposeNodes } from '../set-up.mjs';

/** @typedef {{ url: string, pid?: number | undefined }} Node */
/** @typedef {{ nodes: Node[] } | { program: string }} Found */

/**
 * Installs what is missing; answers where the nodes are, or with which program to start them.
 * @param {import('./household.mjs').Household} household
 * @returns {Promise<Found>}
 */
export async function prepare(household) {
  if (process.env.REDLOCK_NODES) {
    setUpPackages(process.cwd());
    return { nodes: process.env.REDLOCK_NODES.split(',').map((url) => ({ url: url.trim() })) };
  }
  const { redis } = await setUp();
  if (redis.kind === 'binary') return { program: redis.path };
  household.atEnd(() => void stopComposeNodes(redis.started));
  return { nodes: redis.nodes.map((url) => ({ url })) };
}
