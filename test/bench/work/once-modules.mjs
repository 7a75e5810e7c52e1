import { pathToFileURL } from 'node:url';

const READY_WITHIN_MS = 35_000;

/** @typedef {{ ports: readonly number[], library: string, ttl: number }} OncePool */

/** The library's modules for replies that are kept on the nodes of the locks. @param {OncePool} pool */
export async function onceModules({ ports, library, ttl }) {
  const url = pathToFileURL(library);
  /** @type {typeof import('nestjs-redlock')} */
  const { RedlockModule, RedlockService } = await import(url.href);
  /** @type {typeof import('nestjs-redlock/idempotency')} */
  const { RedlockIdempotencyModule, Idempotency, Idempotent } = await import(new URL('idempotency/index.js', url).href);
  const nodes = ports.map((port) => `redis://127.0.0.1:${port}`);
  const modules = [
    // New nodes may first have to earn the library's trust.
    RedlockModule.forRoot({ nodes, defaults: { ttl }, waitForQuorum: READY_WITHIN_MS }),
    RedlockIdempotencyModule.forRoot({}),
  ];
  return { modules, RedlockService, Idempotency, Idempotent };
}
