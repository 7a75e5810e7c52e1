import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { onceModules } from './once-modules.mjs';

/** The services of an application, as one of several replicas has them. @param {import('./once-modules.mjs').OncePool} pool */
export async function startOncePool(pool) {
  const { modules, RedlockService, Idempotency } = await onceModules(pool);
  // oxlint-disable-next-line typescript/no-extraneous-class -- to Nest, a module is a class
  class AppModule {}
  Module({ imports: modules })(AppModule);
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] });
  return {
    service: app.get(RedlockService, { strict: false }),
    idempotency: app.get(Idempotency, { strict: false }),
  };
}
