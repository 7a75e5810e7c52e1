/** @type {readonly import('../candidates/candidates.mjs').Candidate[]} */
const OPERATIONS = [
  { name: 'PING', title: 'two PINGs', kind: 'reference' },
  { name: 'raw', title: 'the commands of raw', kind: 'reference' },
  { name: 'empty script', title: 'the calls of the library, to a script that does nothing', kind: 'reference' },
  { name: 'ours', title: 'the calls of the library', kind: 'ours' },
];

/** @type {import('../harness/rounds.mjs').Scenario} */
export const bareCalls = {
  name: 'bare-calls',
  title:
    'What bounds one caller: a call for each acquire and each release, made before, on bare sockets to all nodes, until a quorum answers',
  variants: [{ name: 'pair', params: {}, isLong: true }],
  candidates: () => OPERATIONS,
  baseline: 'raw',
  columns: [
    { figure: 'p50', title: 'p50 ms', digits: 3, against: 'ratio' },
    { figure: 'clientCpu', title: 'client CPU µs', digits: 1, against: 'ratio' },
  ],

  run(context) {
    const { candidate: operation, servers, library, quick } = context;
    const work = { operation, library, ports: servers.ports, count: quick ? 1_000 : 4_000 };
    return context.alone('bare-calls', work, { candidate: null });
  },
};
