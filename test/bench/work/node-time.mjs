import { once } from 'node:events';
import { connect } from 'node:net';
import { ask } from '../redis/ask.mjs';
import { command, LibraryCalls, runIdOf } from './library-calls.mjs';

/** How many operations are sent at once. */
const PIPELINE = 128;

/** @typedef {{ run: string, port: number, operation: string, size: number, count: number, library: string }} Params */

/**
 * Operations sent to one node, and how long it says that they took it.
 * @param {undefined} _client
 * @param {Params} params
 * @returns {Promise<import('../harness/child-main.mjs').Measure>}
 */
export async function prepare(_client, params) {
  const calls = await callsOf(params);
  const socket = connect(params.port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  // A script is compiled, and a node's tables grow, with what comes first.
  for (const call of calls.introduction) await send(socket, [call], 1);
  return async () => {
    const before = await microsOf(params);
    await send(socket, calls.measured(), PIPELINE / params.size);
    const micros = (await microsOf(params)) - before;
    socket.destroy();
    return { micros: micros / params.count };
  };
}

/** @param {Params} params @returns {Promise<{ introduction: Buffer[], measured: () => Buffer[] }>} */
async function callsOf(params) {
  const { run, operation, count, port } = params;
  const names = Array.from({ length: count }, (_, index) => `${run}:${index}`);
  if (operation === 'SET') {
    const set = (/** @type {string} */ name) => command('SET', name, 'x', 'NX', 'PX', '10000');
    return { introduction: [set(run)], measured: () => names.map(set) };
  }
  if (operation === 'empty script') {
    const sha = (await ask(port, 'SCRIPT LOAD "return 1"')).split('\r\n')[1] ?? '';
    const call = command('EVALSHA', sha, '0');
    return { introduction: [call], measured: () => names.map(() => call) };
  }
  return batchesOf(params, names);
}

/** As the library sends them. @param {Params} params @param {string[]} names */
async function batchesOf({ run, port, operation, size, library }, names) {
  const calls = await LibraryCalls.of(library, run);
  const id = await runIdOf(port);
  const groups = grouped(
    names.map((name) => calls.voteFor(name)),
    size,
  );
  const acquires = () => groups.map((group) => calls.acquire(group, id));
  const introduction = calls.introductionTo(id);
  if (operation === 'acquire') return { introduction, measured: acquires };
  introduction.push(...acquires());
  return { introduction, measured: () => groups.map((group) => calls.release(group, id)) };
}

/** @template T @param {T[]} all @param {number} size @returns {T[][]} */
function grouped(all, size) {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/**
 * Resolves once all are answered; one error is enough to fail.
 * @param {import('node:net').Socket} socket
 * @param {Buffer[]} calls
 * @param {number} atOnce
 */
async function send(socket, calls, atOnce) {
  for (const some of grouped(calls, atOnce)) {
    socket.write(Buffer.concat([...some, command('PING')]));
    let reply = '';
    while (!reply.endsWith('+PONG\r\n')) reply += String((await once(socket, 'data'))[0]);
    if (/(^|\n)-/.test(reply)) throw new Error(`the node answered ${reply.match(/(?:^|\n)-(.*)/)?.[1]}`);
  }
}

/** @param {Params} params */
async function microsOf({ port, operation }) {
  const stats = await ask(port, 'INFO commandstats');
  const name = operation === 'SET' ? 'set' : 'evalsha';
  return Number(stats.match(new RegExp(`cmdstat_${name}:calls=\\d+,usec=(\\d+)`))?.[1] ?? 0);
}
