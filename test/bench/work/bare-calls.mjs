import { machineTime } from '../harness/clock.mjs';
import { percentile, sorted } from '../harness/statistics.mjs';
import { ask } from '../redis/ask.mjs';
import { COMPARE_AND_DELETE, COMPARE_AND_DELETE_SHA } from '../candidates/compare-and-delete.mjs';
import { BareNodes } from './bare-nodes.mjs';
import { command, LibraryCalls, runIdOf } from './library-calls.mjs';

const PING = Buffer.from('PING\r\n');
const EMPTY = 'return 1';
const TTL = '10000';
const WARM_UP_SHARE = 4;

/** @typedef {{ run: string, ports: readonly number[], operation: string, library: string, count: number }} Params */
/** @typedef {[readonly Buffer[], readonly Buffer[]]} Pair what each node is sent first, and then */

/**
 * Pairs of calls that were made before, on bare sockets: one caller, and no client.
 * @param {undefined} _client
 * @param {Params} params
 * @returns {Promise<import('../harness/child-main.mjs').Measure>}
 */
export async function prepare(_client, params) {
  const pairs = await pairsOf(params);
  const nodes = await BareNodes.open(params.ports);
  const warmUp = pairs.splice(0, params.count / WARM_UP_SHARE);
  for (const pair of warmUp) for (const calls of pair) await nodes.ask(calls);
  return async () => {
    const times = [];
    const cpuBefore = process.cpuUsage();
    for (const pair of pairs) {
      const start = machineTime();
      for (const calls of pair) await nodes.ask(calls);
      times.push(machineTime() - start);
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    nodes.close();
    return { p50: percentile(sorted(times), 0.5), clientCpu: (user + system) / pairs.length };
  };
}

/** @param {Params} params @returns {Promise<Pair[]>} */
async function pairsOf({ run, ports, operation, library, count }) {
  const names = Array.from({ length: count + count / WARM_UP_SHARE }, (_, index) => `user:${run}:${index}`);
  const all = (/** @type {Buffer} */ call) => ports.map(() => call);
  if (operation === 'PING') return names.map(() => [all(PING), all(PING)]);
  if (operation === 'raw') {
    await Promise.all(ports.map((port) => ask(port, `SCRIPT LOAD "${COMPARE_AND_DELETE}"`)));
    return names.map((name) => [
      all(command('SET', name, run, 'PX', TTL, 'NX')),
      all(command('EVALSHA', COMPARE_AND_DELETE_SHA, '1', name, run)),
    ]);
  }
  return libraryPairs({ run, ports, library, names }, operation === 'empty script');
}

/**
 * @param {{ run: string, ports: readonly number[], library: string, names: string[] }} of
 * @param {boolean} isEmpty whether a script that does nothing takes the words
 * @returns {Promise<Pair[]>}
 */
async function libraryPairs({ run, ports, library, names }, isEmpty) {
  const calls = await LibraryCalls.of(library, run);
  const ids = await Promise.all(ports.map((port) => runIdOf(port)));
  await introduce(calls, ports, ids);
  const [empty = ''] = await Promise.all(ports.map((port) => ask(port, `SCRIPT LOAD "${EMPTY}"`)));
  const sha = empty.split('\r\n')[1] ?? '';
  const sent = (/** @type {Buffer} */ call) => {
    if (isEmpty) call.write(sha, call.indexOf(calls.sha), 'latin1');
    return call;
  };
  return names.map((name) => {
    const vote = calls.voteFor(name);
    return [ids.map((id) => sent(calls.acquire([vote], id))), ids.map((id) => sent(calls.release([vote], id)))];
  });
}

/** @param {LibraryCalls} calls @param {readonly number[]} ports @param {string[]} ids */
async function introduce(calls, ports, ids) {
  const introductions = ids.map((id) => calls.introductionTo(id));
  for (const [nodeIndex, port] of ports.entries()) {
    const nodes = await BareNodes.open([port]);
    for (const call of introductions[nodeIndex] ?? []) await nodes.ask([call]);
    nodes.close();
  }
}
