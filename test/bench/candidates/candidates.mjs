/**
 * @typedef {object} Settings how a candidate is to be connected
 * @property {number[]} ports of the nodes
 * @property {number} ttl ms
 * @property {number} [patience] ms to wait for a lock that is held; without it the candidate's own default holds
 * @property {boolean} [autoExtend]
 * @property {number} [slots] how many may hold a resource at once; without it one may
 * @property {string} library the built index.js of this project
 */
/**
 * @typedef {object} Client
 * @property {(resource: string) => Promise<any>} acquire
 * @property {(lock: any) => Promise<unknown>} release
 * @property {() => Promise<void>} [ready]
 */
/**
 * @typedef {object} Candidate
 * @property {string} name
 * @property {string} title
 * @property {'ours' | 'reference' | 'peer'} kind a reference cannot wait: it is the bare commands
 * @property {boolean} [isLong] not in a quick run of all scenarios
 */

/** @type {readonly Candidate[]} */
export const CANDIDATES = [
  { name: 'ours', title: 'nestjs-redlock', kind: 'ours' },
  { name: 'raw', title: 'bare ioredis commands', kind: 'reference' },
  { name: 'limit', title: 'bare sockets', kind: 'reference' },
  { name: 'redlock-4', title: 'redlock 4', kind: 'peer' },
  { name: 'redlock-5', title: 'redlock 5 beta', kind: 'peer' },
  { name: 'sesamecare', title: '@sesamecare-oss/redlock', kind: 'peer' },
  { name: 'redlock-universal', title: 'redlock-universal', kind: 'peer' },
  { name: 'redis-semaphore', title: 'redis-semaphore', kind: 'peer' },
];

/**
 * Only the process of a candidate loads it.
 * @param {string} name
 * @param {Settings} settings
 * @returns {Promise<Client>}
 */
export async function connect(name, settings) {
  const { connect: connectCandidate } = await import(`./${name}.mjs`);
  return connectCandidate(settings);
}
