import { goTogether } from '../harness/child.mjs';
import { ask } from '../redis/ask.mjs';
import { STYLES } from './handlers.mjs';

const LIMIT_MS = 20_000;
const TTL_MS = 10_000;
const WARM_UP_MS = 6_000;
const QUICK_WARM_UP_MS = 2_000;
/** Kept keys of each caller, which is done with all of them within its warm-up. */
const KEPT = 50;
const STORM = 1_000;

/** @typedef {import('../harness/context.mjs').Context} Context */
/** @typedef {import('../harness/child.mjs').Figures} Figures */
/** @typedef {import('../candidates/candidates.mjs').Candidate} Candidate */

/** @type {Candidate} */
const FIRST = { name: 'first', title: '@Idempotent or once, a new key each time', kind: 'ours' };
/** @type {Candidate} */
const REPLAY = { name: 'replay', title: 'the same, of keys with a reply that is kept', kind: 'ours' };

/** @param {number} callers @returns {import('../harness/rounds.mjs').Variant[]} */
const variants = (callers) => [
  { name: `Express ${callers}`, title: `Express, connections: ${callers}`, params: { callers, isHttp: true } },
  { name: `service ${callers}`, title: `the services, callers: ${callers}`, params: { callers, isHttp: false } },
];

/** @type {import('../harness/rounds.mjs').Scenario} */
export const once = {
  name: 'once',
  title:
    'Replies that are kept on the nodes of the locks: the first request for a key and its replay, beside a lock and no lock',
  variants: [
    ...[1, 16].flatMap(variants),
    { name: 'storm', title: `${STORM} replays at once of ${STORM} keys, by another replica`, params: { keys: STORM } },
  ],
  candidates: (_chosen, { params }) => {
    if (params.keys !== undefined) return [REPLAY];
    return [...(params.isHttp ? [STYLES.bare] : []), STYLES.decorator, FIRST, REPLAY];
  },
  baseline: STYLES.decorator.name,
  columns: [
    { figure: 'perSecond', title: 'requests/s', digits: 0, against: 'ratio' },
    { figure: 'p50', title: 'p50 ms', digits: 2, against: 'ratio' },
    { figure: 'p99', title: 'p99 ms', digits: 2, against: 'ratio' },
    { figure: 'calls', title: 'calls to each node', digits: 2 },
    { figure: 'locks', title: 'locks taken', digits: 0 },
    { figure: 'runs', title: 'runs', digits: 0 },
    { figure: 'failures', title: 'failures', digits: 0 },
  ],

  run(context) {
    if (context.params.keys !== undefined) return storm(context);
    return context.params.isHttp ? requests(context) : calls(context);
  },
};

/** @param {Context} context */
function timesOf({ quick, candidate }) {
  const addresses = candidate === REPLAY.name ? KEPT : undefined;
  return { addresses, length: quick ? 1_000 : 3_000, warmUp: quick ? QUICK_WARM_UP_MS : WARM_UP_MS };
}

/** @param {Context} context @returns {Promise<Figures>} */
async function requests(context) {
  const { params, library, candidate: style, servers } = context;
  const times = timesOf(context);
  const manner = { candidate: null };
  const app = { style, platform: 'Express', length: times.length, ports: servers.ports, library, ttl: TTL_MS };
  return context.perform({ work: 'handler', params: app, manner }, (apps) => {
    const calling = { ...times, connections: params.callers, port: apps[0]?.facts.port };
    return context.perform({ work: 'requests', params: calling, manner }, (callers) =>
      counted(context, async () => (await goTogether([...apps, ...callers], LIMIT_MS))[1] ?? {}),
    );
  });
}

/** @param {Context} context @returns {Promise<Figures>} */
async function calls(context) {
  const { params, library, candidate: style, servers } = context;
  const work = { ...timesOf(context), style, callers: params.callers, ports: servers.ports, library, ttl: TTL_MS };
  return context.perform({ work: 'once-calls', params: work, manner: { candidate: null } }, (children) =>
    counted(context, async () => (await goTogether(children, LIMIT_MS))[0] ?? {}),
  );
}

/** @param {Context} context @returns {Promise<Figures>} */
async function storm(context) {
  const { params, library, servers } = context;
  const work = { ...params, ports: servers.ports, library, ttl: TTL_MS };
  return context.perform({ work: 'once-storm', params: work, manner: { candidate: null } }, async (children) => {
    const before = await scriptCalls(context);
    const [called = {}] = await goTogether(children, LIMIT_MS);
    const more = (await scriptCalls(context)) - before;
    return { ...called, calls: more / servers.ports.length / called.requests };
  });
}

/** With how many calls of scripts each node got for a request. @param {Context} context @param {() => Promise<Figures>} act @returns {Promise<Figures>} */
async function counted(context, act) {
  const { length } = timesOf(context);
  const before = await scriptCalls(context);
  const called = await act();
  const more = (await scriptCalls(context)) - before;
  const perNode = more / context.servers.ports.length;
  return { ...called, perSecond: (called.requests / length) * 1e3, calls: perNode / called.requests };
}

/** @param {Context} context */
async function scriptCalls({ servers }) {
  const each = await Promise.all(servers.ports.map((port) => ask(port, 'INFO commandstats')));
  return each.reduce((sum, stats) => sum + Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0), 0);
}
