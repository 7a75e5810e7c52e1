import { callHandler, COLUMNS, STYLES } from './handlers.mjs';

const CONNECTIONS = [1, 20, 200];

/** With 200 requests under way, young objects outlive the 16 MB that V8 gives them, and are copied to the old generation. */
const FLAGS = ['--max-semi-space-size=64'];

/** @param {string} platform @param {number} connections @param {{ isLong?: boolean }} [more] */
function variant(platform, connections, more) {
  const title =
    platform === 'TCP' ? `TCP, ${connections} messages at a time` : `${platform}, ${connections} connections`;
  return { name: `${platform} ${connections}`, title, params: { platform, connections }, ...more };
}

/** @param {string} platform */
function roomy(platform) {
  const { title, params } = variant(platform, 200);
  return {
    name: `${platform} 200 roomy`,
    title: `${title}, the server with ${FLAGS.join(' ')}`,
    params: { ...params, flags: FLAGS },
    isLong: true,
  };
}

/** @type {import('../harness/rounds.mjs').Scenario} */
export const http = {
  name: 'http',
  title: 'A lock on a handler of Nest that many call at once, each request with a name of its own',
  variants: [
    ...CONNECTIONS.map((connections) => variant('Express', connections, { isLong: connections === 20 })),
    ...CONNECTIONS.map((connections) => variant('Fastify', connections, { isLong: true })),
    roomy('Express'),
    roomy('Fastify'),
    variant('TCP', 200, { isLong: true }),
  ],
  candidates: () => [
    STYLES.bare,
    STYLES.withLock,
    STYLES.withInterceptor,
    STYLES.decorator,
    STYLES.handWritten,
    STYLES.peer,
  ],
  baseline: 'bare',
  columns: COLUMNS,
  run: callHandler,
};
