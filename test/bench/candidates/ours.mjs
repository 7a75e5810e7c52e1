import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { pathToFileURL } from 'node:url';

const READY_WITHIN_MS = 35_000;

/**
 * The service as an application gets it.
 * @param {import('./candidates.mjs').Settings} settings
 * @returns {Promise<import('./candidates.mjs').Client>}
 */
export async function connect({ ports, library, ttl, patience, autoExtend }) {
  /** @type {typeof import('nestjs-redlock')} */
  const { RedlockModule, RedlockService } = await import(pathToFileURL(library).href);
  const nodes = ports.map((port) => `redis://127.0.0.1:${port}`);
  const app = await NestFactory.createApplicationContext(RedlockModule.forRoot({ nodes }), { logger: ['error'] });
  const service = app.get(RedlockService);
  const options = {
    ttl,
    ...(patience !== undefined && { waitTimeout: patience }),
    ...(autoExtend !== undefined && { autoExtend }),
  };
  return {
    acquire: (resource) => service.acquire(resource, options),
    release: (lock) => lock.release(),
    // New nodes may first have to earn the library's trust.
    async ready() {
      const lock = await service.acquire(`ready:${process.pid}`, { ttl, waitTimeout: READY_WITHIN_MS });
      await lock.release();
    },
  };
}
