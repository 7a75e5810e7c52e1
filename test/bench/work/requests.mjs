import { once } from 'node:events';
import { connect } from 'node:net';
import { Caller, measureCalls } from './callers.mjs';

const HEAD = 'POST /users HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ';

/**
 * Calls a handler over connections that stay open.
 * @param {undefined} _client
 * @param {{ run: string, port: number, connections: number, length: number, warmUp: number }} params ms
 */
export async function prepare(_client, { run, port, connections, ...times }) {
  const callers = await Promise.all(
    Array.from({ length: connections }, (_, index) => callerTo(port, `${run}-${index}`)),
  );
  return measureCalls(callers, times);
}

/** @param {number} port @param {string} name */
async function callerTo(port, name) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.setNoDelay(true);
  return new Caller(name, async (email) => {
    const reply = await request(socket, JSON.stringify({ email }));
    return reply.startsWith('HTTP/1.1 201') ? undefined : reply.slice(0, reply.indexOf('\r\n'));
  });
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
