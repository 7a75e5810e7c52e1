import { ClientMessages } from './client-messages.mjs';

/**
 * Serves one client of the database until it leaves. PGlite has one session for all: what a client sends between two
 * Syncs must not mix with what others send, and its transaction is its own until it ends. Settings and named statements
 * are shared, which this application does not use.
 * @param {import('node:net').Socket} socket
 * @param {{ lite: import('@electric-sql/pglite').PGlite, turns: import('./turns.mjs').Turns }} database
 */
export async function serveClient(socket, { lite, turns }) {
  const messages = new ClientMessages();
  // One answer is several small writes, and each would wait for the acknowledgement of the one before.
  socket.setNoDelay(true);
  try {
    for await (const chunk of socket) {
      for (const { kind, bytes } of messages.read(chunk)) {
        if (kind === 'leave') return;
        if (kind === 'encrypt') socket.write('N');
        else {
          await turns.take(socket);
          socket.write(await lite.execProtocolRaw(bytes));
          if (kind === 'last' && !lite.isInTransaction()) turns.pass();
        }
      }
    }
  } catch {
    // The client broke off: it hears nothing any more, and the others must not wait for it.
  } finally {
    if (turns.has(socket)) await giveUp(lite).finally(() => turns.pass());
    socket.destroy();
  }
}

/** @param {import('@electric-sql/pglite').PGlite} lite */
async function giveUp(lite) {
  if (lite.isInTransaction()) await lite.exec('rollback');
}
