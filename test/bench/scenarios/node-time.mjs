/** @type {readonly import('../candidates/candidates.mjs').Candidate[]} */
const OPERATIONS = [
  { name: 'SET', title: 'SET NX PX, for scale', kind: 'reference' },
  { name: 'empty script', title: 'a script that does nothing, for scale', kind: 'reference' },
  { name: 'acquire', title: 'a vote, with fencing token and trust in the node', kind: 'ours' },
  { name: 'release', title: 'a release', kind: 'ours' },
];

/** @type {import('../harness/rounds.mjs').Scenario} */
export const nodeTime = {
  name: 'node-time',
  title: 'What one operation takes of a node, as it says itself (usec_per_call), new names in calls without a pause',
  variants: [1, 64].map((size) => ({
    name: `${size}`,
    title: size === 1 ? 'each in a call of its own' : `${size} to a call`,
    params: { size },
  })),
  candidates: () => OPERATIONS,
  columns: [{ figure: 'micros', title: 'µs per operation', digits: 2 }],

  run(context) {
    const { params, candidate: operation, servers, library, quick } = context;
    const isScale = operation === 'SET' || operation === 'empty script';
    if (isScale && params.size > 1) return Promise.resolve({});
    const work = { ...params, operation, library, port: servers.ports[0], count: quick ? 6_400 : 25_600 };
    return context.alone('node-time', work, { candidate: null });
  },
};
