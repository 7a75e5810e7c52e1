const LOCKS = 50_000;
// Long enough for the slowest to have them all.
const TTL_MS = 30_000;
const LIMIT_MS = 60_000;
// Whose locks an acquire can keep alive by itself.
const EXTENDERS = ['ours', 'redis-semaphore'];

/** @type {import('../harness/rounds.mjs').Scenario} */
export const held = {
  name: 'held-50000',
  title: `${LOCKS.toLocaleString('en-US')} locks held at once, with their names: bytes of the client for each`,
  variants: [
    { name: 'not extended', params: { autoExtend: false } },
    { name: 'extended', params: { autoExtend: true } },
  ],
  candidates: (chosen, { params }) =>
    chosen.filter(({ name }) => (params.autoExtend ? EXTENDERS.includes(name) : name !== 'limit')),
  columns: [
    { figure: 'heapPerLock', title: 'heap bytes', digits: 0 },
    { figure: 'rssPerLock', title: 'rss bytes', digits: 0 },
    { figure: 'locks', title: 'locks', digits: 0 },
  ],

  run: (context) =>
    context.alone('held', { locks: LOCKS }, { autoExtend: context.params.autoExtend, ttl: TTL_MS, limit: LIMIT_MS }),
};
