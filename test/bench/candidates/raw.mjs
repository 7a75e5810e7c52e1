import { createRequire } from 'node:module';
import { COMPARE_AND_DELETE, COMPARE_AND_DELETE_SHA } from './compare-and-delete.mjs';
import { nextValue } from './values.mjs';

// The very ioredis that the library uses, which is that of the project and not that of the peers.
const load = createRequire(new URL('../../../package.json', import.meta.url));

/** @typedef {{ resource: string, value: string }} RawLock */

/**
 * The commands of the algorithm written by hand: no retry, no timeout, no validity.
 * @param {import('./candidates.mjs').Settings} settings
 * @returns {Promise<import('./candidates.mjs').Client>}
 */
export async function connect({ ports, ttl }) {
  const { Redis } = load('ioredis');
  const nodes = ports.map((port) => new Redis({ port, host: '127.0.0.1' }));
  for (const node of nodes) node.on('error', () => undefined);
  await Promise.all(nodes.map((node) => node.script('LOAD', COMPARE_AND_DELETE)));
  return {
    async acquire(resource) {
      const lock = { resource, value: nextValue() };
      await atQuorum(nodes, (node) => node.set(resource, lock.value, 'PX', ttl, 'NX').then(isOk));
      return lock;
    },
    release: (/** @type {RawLock} */ { resource, value }) =>
      atQuorum(nodes, (node) => node.evalsha(COMPARE_AND_DELETE_SHA, 1, resource, value).then(isOne)),
  };
}

/** @param {unknown} reply */
const isOk = (reply) => reply === 'OK';
/** @param {unknown} reply */
const isOne = (reply) => reply === 1;

/** @param {any[]} nodes @param {(node: any) => Promise<boolean>} send @returns {Promise<void>} */
function atQuorum(nodes, send) {
  const quorum = (nodes.length >> 1) + 1;
  return new Promise((resolve, reject) => {
    let votes = 0;
    let refusals = 0;
    const count = (/** @type {boolean} */ isVote) => {
      if (isVote) votes += 1;
      else refusals += 1;
      if (votes === quorum) resolve();
      else if (refusals === quorum) reject(new Error('no quorum'));
    };
    for (const node of nodes) send(node).then(count, () => count(false));
  });
}
