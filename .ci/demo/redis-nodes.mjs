import { once } from 'node:events';
import { createServer } from 'node:net';

/** @typedef {import('./household.mjs').Household} Household */
/** @typedef {{ name: string, program: string, folder: string }} Plan */

const HOST = '127.0.0.1';
const NAMES = ['node 1', 'node 2', 'node 3', 'node 4', 'node 5'];
// Below the ports from which systems dial out: a client that dials an ended node could be given that very port.
const FIRST_PORT = 12_000;
const LAST_PORT = 31_999;

/**
 * Five redis-server processes on free ports, with everything in memory.
 * @param {Household} household
 * @param {string} program
 * @returns {Promise<import('./prepare.mjs').Node[]>}
 */
export function startRedisNodes(household, program) {
  const folder = household.temporaryFolder('redlock-sample-');
  return Promise.all(NAMES.map((name) => startNode(household, { name, program, folder })));
}

/** @param {Household} household @param {Plan} plan */
async function startNode(household, plan) {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT + 1));
    if (!(await isFree(port))) continue;
    const member = household.start(orderFor(plan, port));
    try {
      await member.printed('Ready to accept connections');
      return { url: `redis://${HOST}:${port}`, pid: member.pid };
    } catch (error) {
      // Somebody else can have taken it since the look.
      if (!/address already in use/i.test(String(error))) throw error;
    }
  }
  throw new Error(`no free port for ${plan.name}`);
}

/** @param {Plan} plan @param {number} port @returns {import('./member.mjs').Order} */
function orderFor({ name, program, folder }, port) {
  return {
    name,
    role: 'redis',
    program,
    args: ['--port', `${port}`, '--bind', HOST, '--dir', folder, '--save', '', '--appendonly', 'no'],
    // That a minority may go is what Redlock is for. There is nothing to save, so nobody waits for their end.
    essential: false,
    patience: 0,
  };
}

/** @param {number} port */
async function isFree(port) {
  const probe = createServer();
  try {
    await once(probe.listen(port, HOST), 'listening');
  } catch {
    return false; // taken
  }
  await once(probe.close(), 'close');
  return true;
}
