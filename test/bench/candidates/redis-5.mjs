import { createRequire } from 'node:module';

/** Loads what only the bench depends on, and only in the process that needs it. */
export const load = createRequire(import.meta.url);

/**
 * Connections as the peers document them: ioredis 5 with its own defaults.
 * @param {number[]} ports
 * @returns {Promise<any[]>}
 */
export async function connectAll(ports) {
  const { Redis } = load('ioredis');
  const nodes = ports.map((port) => new Redis({ port, host: '127.0.0.1' }));
  for (const node of nodes) node.on('error', () => undefined); // it would be printed
  await Promise.all(nodes.map((node) => node.ping()));
  return nodes;
}
