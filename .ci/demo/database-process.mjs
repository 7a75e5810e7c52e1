// PGlite in one process, as a Postgres that several processes can dial.
import { createServer } from 'node:net';
import { serveClient } from './database-client.mjs';
import { Turns } from './turns.mjs';

// By a name that is made here: the type checker, which comes before the build, would miss the file.
const LITE = new URL('../../dist/sample-app/database/lite.js', import.meta.url).href;

/** @type {typeof import('../../sample-app/src/database/lite.js')} */
const { openLite } = await import(LITE);
const { lite, close } = await openLite(process.env.DATA_FOLDER || 'sample-app/.data').catch(refuse);
const turns = new Turns();
/** @type {Set<import('node:net').Socket>} */
const sockets = new Set();

const server = createServer((socket) => {
  sockets.add(socket);
  void serveClient(socket, { lite, turns }).finally(() => sockets.delete(socket));
});

process.once('SIGTERM', () => {
  server.close(() => void close());
  for (const socket of sockets) socket.destroy();
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.send?.({ url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres` });
});

/** @param {Error} error @returns {never} */
function refuse({ message }) {
  console.error(message);
  process.exit(1);
}
