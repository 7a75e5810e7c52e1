import { once } from 'node:events';
import { connect } from 'node:net';
import { Caller, measureCalls } from './callers.mjs';

/** Code is compiled for what comes often: a server that one client calls now has been called by others before. */
const CROWD = 20;
const HEAD = 'POST /users HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ';

/**
 * Calls a handler over connections that stay open.
 * @param {undefined} _client
 * @param {{ run: string, port: number, connections: number, addresses?: number, length: number, warmUp: number }} params ms
 */
export async function prepare(_client, { run, port, connections, addresses, ...times }) {
  if (connections < CROWD) await warmUpByCrowd({ run, port, addresses }, times.warmUp);
  const { callers } = await callersTo(port, { run, connections, addresses });
  return measureCalls(callers, times);
}

/** @param {{ run: string, port: number, addresses?: number }} app @param {number} length ms */
async function warmUpByCrowd({ run, port, addresses }, length) {
  const { callers, sockets } = await callersTo(port, { run: `${run}-crowd`, connections: CROWD, addresses });
  await Promise.all(callers.map((caller) => caller.repeat(length)));
  for (const socket of sockets) socket.destroy();
}

/** @param {number} port @param {{ run: string, connections: number, addresses?: number }} of */
async function callersTo(port, { run, connections, addresses }) {
  const sockets = await Promise.all(Array.from({ length: connections }, () => socketTo(port)));
  return { sockets, callers: sockets.map((socket, index) => callerOver(socket, `${run}-${index}`, addresses)) };
}

/** @param {number} port */
async function socketTo(port) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket.setNoDelay(true);
}

/** @param {import('node:net').Socket} socket @param {string} name @param {number} [addresses] */
function callerOver(socket, name, addresses) {
  const call = async (/** @type {string} */ email) => {
    const reply = await request(socket, JSON.stringify({ email }));
    return reply.startsWith('HTTP/1.1 201') ? undefined : reply.slice(0, reply.indexOf('\r\n'));
  };
  return new Caller(name, call, addresses);
}

/** @param {import('node:net').Socket} socket @param {string} body */
async function request(socket, body) {
  socket.write(`${HEAD}${body.length}\r\n\r\n${body}`);
  let reply = '';
  while (!isWhole(reply)) reply += String((await once(socket, 'data'))[0]);
  return reply;
}

/** @param {string} reply */
function isWhole(reply) {
  const bodyAt = reply.indexOf('\r\n\r\n') + 4;
  const length = Number(reply.match(/content-length: (\d+)/i)?.[1]);
  return bodyAt > 3 && reply.length >= bodyAt + length;
}
