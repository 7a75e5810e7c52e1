import { callHandler, COLUMNS, STYLES } from './handlers.mjs';

const CONNECTIONS = [1, 20, 200];

/** @param {string} platform @param {number} connections @param {{ isLong?: boolean }} [more] */
function variant(platform, connections, more) {
  const title =
    platform === 'TCP' ? `TCP, ${connections} messages at a time` : `${platform}, ${connections} connections`;
  return { name: `${platform} ${connections}`, title, params: { platform, connections }, ...more };
}

/** @type {import('../harness/rounds.mjs').Scenario} */
export const http = {
  name: 'http',
  title: 'A lock on a handler of Nest that many call at once, each request with a name of its own',
  variants: [
    ...CONNECTIONS.map((connections) => variant('Express', connections, { isLong: connections === 20 })),
    ...CONNECTIONS.map((connections) => variant('Fastify', connections, { isLong: true })),
    variant('TCP', 200, { isLong: true }),
  ],
  candidates: () => [STYLES.bare, STYLES.withLock, STYLES.decorator, STYLES.handWritten, STYLES.peer],
  baseline: 'bare',
  columns: COLUMNS,
  chart: { figure: 'perSecond', title: 'requests per second', better: 'more' },
  run: callHandler,
};
