import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

export const HOST = '127.0.0.1';

export class PortTakenError extends Error {
  constructor(readonly port: number) {
    super(`port ${port} is taken`);
  }
}

// Below the range from which systems take ports for outgoing connections: a client that dials a dead node there could
// otherwise be given the node's own port, and either connect to itself or keep the node from starting again.
const FIRST = 12_000;
const LAST = 31_999;

/**
 * Calls `start` with ports that look free until it does not find its port taken: workers choose at the same time, so
 * that a port can go between the look and the start.
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (!(await isFree(port))) continue;
    try {
      return await start(port);
    } catch (error) {
      if (!(error instanceof PortTakenError)) throw error;
    }
  }
  throw new Error(`no free port found on ${HOST} between ${FIRST} and ${LAST}`);
}

/** A server of TCP that listens on a free port, and sends at once what is written to its connections. */
export async function listenOnFreePort(): Promise<{ readonly server: Server; readonly port: number }> {
  return onFreePort(async (port) => {
    const server = createServer({ noDelay: true });
    try {
      await once(server.listen(port, HOST), 'listening');
    } catch {
      throw new PortTakenError(port);
    }
    return { server, port };
  });
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await once(probe.listen(port, HOST), 'listening');
  } catch {
    return false;
  }
  await once(probe.close(), 'close');
  return true;
}
