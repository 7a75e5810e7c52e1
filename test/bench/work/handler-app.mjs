import 'reflect-metadata';
import { Body, Controller, Inject, Module, Post, UseInterceptors } from '@nestjs/common';
import { pathToFileURL } from 'node:url';
import { connectAll, load } from '../candidates/redis-5.mjs';

const READY_WITHIN_MS = 35_000;
const NO_SERVICE = Symbol('no service');

/** @typedef {{ style: string, ports: number[], library: string, ttl: number }} AppParams */
/** @typedef {{ module?: any, token?: any, decorator?: MethodDecorator, act?: (service: any, email: string) => any, ready?: (app: any) => Promise<void> }} Style */

/**
 * The same handler in each style of locking; decorators are called by hand because nothing compiles this file.
 * @param {AppParams} params
 */
export async function appModule(params) {
  const {
    module,
    token = NO_SERVICE,
    decorator,
    act = (_service, email) => ({ email }),
    ready,
  } = await styleOf(params);
  class UsersController {
    /** @param {unknown} service */
    constructor(service) {
      this.service = service;
    }

    /** @param {{ email: string }} body */
    register(body) {
      return act(this.service, body.email);
    }
  }
  const { prototype } = UsersController;
  decorate(prototype, 'register', decorator === undefined ? [Post()] : [Post(), decorator]);
  Body()(prototype, 'register', 0);
  Inject(token)(UsersController, undefined, 0);
  Controller('users')(UsersController);
  // oxlint-disable-next-line typescript/no-extraneous-class -- to Nest, a module is a class
  class AppModule {}
  Module({
    imports: module === undefined ? [] : [module],
    controllers: [UsersController],
    providers: [{ provide: NO_SERVICE, useValue: undefined }],
  })(AppModule);
  return { AppModule, ready };
}

/** @param {object} prototype @param {string} method @param {MethodDecorator[]} decorators the uppermost first */
function decorate(prototype, method, decorators) {
  const before = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, method));
  Object.defineProperty(prototype, method, Reflect.decorate(decorators, prototype, method, before));
}

/** @param {AppParams} params @returns {Promise<Style>} */
async function styleOf(params) {
  if (params.style === 'bare') return {};
  if (params.style === 'nest-redlock') return nestRedlock(params);
  /** @type {typeof import('nestjs-redlock')} */
  const { RedlockModule, RedlockService, WithLock } = await import(pathToFileURL(params.library).href);
  const nodes = params.ports.map((port) => `redis://127.0.0.1:${port}`);
  const module = RedlockModule.forRoot({ nodes, defaults: { ttl: params.ttl } });
  // New nodes may first have to earn the library's trust.
  const ready = (/** @type {any} */ app) =>
    app.get(RedlockService, { strict: false }).withLock('ready', () => undefined, { waitTimeout: READY_WITHIN_MS });
  if (params.style === '@WithLock') return { module, ready, decorator: WithLock('user:<body.email>') };
  return {
    module,
    ready,
    ...(params.style === 'interceptor' && {
      decorator: UseInterceptors({ intercept: (_context, next) => next.handle() }),
    }),
    token: RedlockService,
    act: (service, email) => service.withLock(`user:${email}`, () => ({ email })),
  };
}

/** @param {AppParams} params @returns {Promise<Style>} */
async function nestRedlock({ ports, ttl }) {
  const { Redlock, RedlockModule } = load('@anchan828/nest-redlock');
  const module = RedlockModule.register({ clients: await connectAll(ports), duration: ttl });
  const keyOf = (/** @type {unknown} */ _target, /** @type {{ email: string }} */ { email }) => `user:${email}`;
  return { module, decorator: Redlock(keyOf) };
}
