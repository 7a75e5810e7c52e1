import { execa } from 'execa';
import { freePort } from '../free-port.mjs';
import { setUpRedis } from '../set-up.mjs';

/** @typedef {{ url: string, pid?: number | undefined }} Node */

const HOST = '127.0.0.1';

/**
 * The configured nodes, or five redis-server processes with everything in memory. A minority may go, and there is
 * nothing to save.
 * @param {import('./lifetime.mjs').Lifetime} lifetime @param {string} folder
 * @returns {Promise<Node[]>}
 */
export async function openNodes(lifetime, folder) {
  if (process.env.REDLOCK_NODES) return process.env.REDLOCK_NODES.split(',').map((url) => ({ url: url.trim() }));
  return Promise.all(Array.from({ length: 5 }, () => startNode(lifetime, folder)));
}

/** @param {import('./lifetime.mjs').Lifetime} lifetime @param {string} folder @returns {Promise<Node>} */
async function startNode(lifetime, folder) {
  const redis = setUpRedis();
  if (redis.kind !== 'binary') throw new Error('there is no program to start the nodes with');
  const port = await freePort(HOST);
  const args = ['--port', `${port}`, '--bind', HOST, '--dir', folder, '--save', '', '--appendonly', 'no'];
  const server = execa(redis.path, args, { stdin: 'ignore', reject: false });
  lifetime.atEnd(async () => (server.kill('SIGKILL'), server));
  /** @type {Promise<undefined>} */
  const ready = new Promise((resolve) => {
    server.stdout.on('data', (text) => String(text).includes('Ready to accept connections') && resolve(undefined));
  });
  const result = await Promise.race([ready, server]);
  if (!result) return { url: `redis://${HOST}:${port}`, pid: server.pid };
  // Another process can have taken the port since the look.
  if (/address already in use/i.test(result.stdout)) return startNode(lifetime, folder);
  throw new Error(`a node did not start: ${result.shortMessage}\n${result.stdout}`);
}
