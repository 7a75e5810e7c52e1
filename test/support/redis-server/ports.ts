import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { freePort } from '../../../.ci/free-port.mjs';

export const HOST = '127.0.0.1';

export class PortTakenError extends Error {
  constructor(readonly port: number) {
    super(`port ${port} is taken`);
  }
}

/**
 * Calls `start` with ports that look free until it does not find its port taken: workers choose at the same time, so
 * that a port can go between the look and the start.
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < 50; attempt++) {
    try {
      return await start(await freePort(HOST));
    } catch (error) {
      if (!(error instanceof PortTakenError)) throw error;
    }
  }
  throw new Error(`no free port found on ${HOST}`);
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
