// What the scenarios with a Nest handler have in common.
import { goTogether } from '../harness/child.mjs';
import { CountingProxies } from '../redis/counting-proxies.mjs';

const LIMIT_MS = 20_000;
const TTL_MS = 10_000;
/** Until the code of a request is compiled: a server runs for days. */
const WARM_UP_MS = 6_000;
const QUICK_WARM_UP_MS = 2_000;
const COUNTED_MS = 1_000;

/** @typedef {import('../candidates/candidates.mjs').Candidate} Candidate */
/** @typedef {import('../harness/context.mjs').Context} Context */

/** @type {Readonly<Record<'bare' | 'withLock' | 'withInterceptor' | 'decorator' | 'observed' | 'handWritten' | 'peer', Candidate>>} */
export const STYLES = {
  bare: { name: 'bare', title: 'the handler without a lock', kind: 'reference' },
  withLock: { name: 'withLock', title: 'RedlockService.withLock inside of the handler', kind: 'ours' },
  withInterceptor: {
    name: 'interceptor',
    title: 'the same, and an interceptor beside it that does nothing: what Nest takes for one',
    kind: 'reference',
    isLong: true,
  },
  decorator: { name: '@WithLock', title: '@WithLock on the handler', kind: 'ours' },
  observed: {
    name: 'observed',
    title: 'the same with a subscriber that does nothing on each channel: what telemetry costs at least',
    kind: 'ours',
  },
  handWritten: { name: 'hand-written', title: 'the commands of raw inside of the handler', kind: 'reference' },
  peer: { name: 'nest-redlock', title: '@Redlock of @anchan828/nest-redlock on the handler', kind: 'peer' },
};

/** @type {readonly import('../harness/rounds.mjs').Column[]} */
export const COLUMNS = [
  { figure: 'cpu', title: 'CPU µs per request', digits: 1, against: 'ratio' },
  { figure: 'cpu', title: 'more than bare µs', digits: 1, against: 'difference' },
  { figure: 'perSecond', title: 'requests/s', digits: 0, against: 'ratio' },
  { figure: 'p50', title: 'p50 ms', digits: 2 },
  { figure: 'p99', title: 'p99 ms', digits: 2 },
  { figure: 'commands', title: 'commands per request', digits: 2 },
  { figure: 'failures', title: 'failures', digits: 0 },
];

/** Calls the handler of the candidate's style for a while. @param {Context} context */
export async function callHandler(context) {
  const { quick, servers } = context;
  const length = quick ? 1_000 : 3_000;
  const warmUp = quick ? QUICK_WARM_UP_MS : WARM_UP_MS;
  const timed = await callFor(context, { length, warmUp, ports: servers.ports });
  // Counted apart: a proxy between would be measured with the candidate.
  return context.round === 0 && !quick ? { ...timed, commands: await commandsOf(context) } : timed;
}

/**
 * @param {Context} context
 * @param {{ length: number, warmUp: number, ports: number[] }} how ms
 * @returns {Promise<import('../harness/child.mjs').Figures>}
 */
async function callFor(context, { length, warmUp, ports }) {
  const { params, library, candidate: style } = context;
  const app = { style, platform: params.platform, length, ports, library, ttl: TTL_MS };
  const manner = { candidate: null };
  return context.perform({ work: 'handler', params: app, manner: { ...manner, flags: params.flags } }, (apps) => {
    const calls = { connections: params.connections, port: apps[0]?.facts.port, length, warmUp };
    const work = params.platform === 'TCP' ? 'messages' : 'requests';
    return context.perform({ work, params: calls, manner }, async (callers) => {
      const [used = {}, called = {}] = await goTogether([...apps, ...callers], LIMIT_MS);
      return { ...called, perSecond: (called.requests / length) * 1e3, cpu: (used.cpu / called.requests) * 1e3 };
    });
  });
}

/** How many commands all nodes get for one request. @param {Context} context */
async function commandsOf(context) {
  const proxies = new CountingProxies();
  try {
    const ports = await proxies.start(context.servers.ports);
    const { requests, warmUpRequests } = await callFor(context, { length: COUNTED_MS, warmUp: COUNTED_MS, ports });
    return proxies.commands / (requests + warmUpRequests);
  } finally {
    proxies.stop();
  }
}
