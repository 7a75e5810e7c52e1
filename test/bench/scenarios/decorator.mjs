import { goTogether } from '../harness/child.mjs';

const LIMIT_MS = 20_000;
/** Until the code of a request is compiled: a server runs for days. */
const WARM_UP_MS = 6_000;

/** @typedef {import('../candidates/candidates.mjs').Candidate} Candidate */

/** @type {readonly Candidate[]} */
const STYLES = [
  { name: 'bare', title: 'the handler without a lock', kind: 'reference' },
  { name: 'withLock', title: 'RedlockService.withLock inside of the handler', kind: 'ours' },
  {
    name: 'interceptor',
    title: 'the same, and an interceptor beside it that does nothing: what Nest takes for one',
    kind: 'reference',
  },
  { name: '@WithLock', title: '@WithLock on the handler', kind: 'ours' },
  { name: 'nest-redlock', title: '@Redlock of @anchan828/nest-redlock on the handler', kind: 'peer' },
];

/** @type {import('../harness/rounds.mjs').Scenario} */
export const decorator = {
  name: 'decorator',
  title: 'A lock on a Nest HTTP handler (Express, 16 connections), each request with a name of its own',
  variants: [{ name: 'POST', params: { connections: 16 } }],
  candidates: () => STYLES,
  baseline: 'bare',
  columns: [
    { figure: 'cpu', title: 'CPU µs per request', digits: 1, against: 'ratio' },
    { figure: 'cpu', title: 'more than bare µs', digits: 1, against: 'difference' },
    { figure: 'perSecond', title: 'requests/s', digits: 0, against: 'ratio' },
    { figure: 'p50', title: 'p50 ms', digits: 2 },
    { figure: 'p99', title: 'p99 ms', digits: 2 },
    { figure: 'failures', title: 'failures', digits: 0 },
  ],
  chart: { figure: 'cpu', title: 'µs of processor time of the application per request', better: 'less' },

  async run(context) {
    const { params, servers, library, candidate: style, quick } = context;
    const length = quick ? 1_500 : 3_000;
    const app = { style, length, ports: servers.ports, library, ttl: 10_000 };
    return context.perform({ work: 'handler', params: app, manner: { candidate: null } }, (apps) => {
      const calls = { ...params, port: apps[0]?.facts.port, length, warmUp: WARM_UP_MS };
      return context.perform({ work: 'requests', params: calls, manner: { candidate: null } }, async (callers) => {
        const [used = {}, called = {}] = await goTogether([...apps, ...callers], LIMIT_MS);
        return { ...called, perSecond: (called.requests / length) * 1e3, cpu: (used.cpu / called.requests) * 1e3 };
      });
    });
  },
};
