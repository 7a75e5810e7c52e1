import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { pathToFileURL } from 'node:url';

const READY_WITHIN_MS = 35_000;

/**
 * The service as an application gets it.
 * @param {import('./candidates.mjs').Settings} settings
 * @returns {Promise<import('./candidates.mjs').Client>}
 */
export async function connect({ ports, library, ttl, patience, autoExtend, slots }) {
  /** @type {typeof import('nestjs-redlock')} */
  const { RedlockModule, RedlockService } = await import(pathToFileURL(library).href);
  const nodes = ports.map((port) => `redis://127.0.0.1:${port}`);
  // New nodes may first have to earn the library's trust.
  const module = RedlockModule.forRoot({ nodes, waitForQuorum: READY_WITHIN_MS });
  const app = await NestFactory.createApplicationContext(module, { logger: ['error'] });
  const service = app.get(RedlockService);
  const options = {
    ttl,
    ...(patience !== undefined && { waitTimeout: patience }),
    ...(autoExtend !== undefined && { autoExtend }),
    ...(slots !== undefined && { limit: slots }),
  };
  return {
    acquire: (resource) => service.acquire(resource, options),
    release: (lock) => lock.release(),
    async ready() {
      const lock = await service.acquire(`ready:${process.pid}`, { ttl });
      await lock.release();
    },
  };
}
