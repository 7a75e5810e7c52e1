import 'reflect-metadata';
import { Body, Controller, Inject, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { MessagePattern, Payload, Transport } from '@nestjs/microservices';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { styleOf } from './handler-styles.mjs';

const NO_SERVICE = Symbol('no service');
const HOST = '127.0.0.1';
const LOGGER = { logger: /** @type {['error']} */ (['error']) };

/** @typedef {import('./handler-styles.mjs').StyleParams} AppParams */

/**
 * Starts an application with one handler, and returns the port on which it is called.
 * @param {AppParams} params
 */
export async function startApp(params) {
  const style = await styleOf(params);
  const isMessage = params.platform === 'TCP';
  const AppModule = appModule(style, isMessage);
  const { app, port } = await (isMessage ? listenToMessages(AppModule) : listenToRequests(AppModule, params));
  await style.ready?.(app);
  return port;
}

/** @param {any} AppModule @param {AppParams} params */
async function listenToRequests(AppModule, { platform }) {
  const app = await (platform === 'Fastify'
    ? NestFactory.create(AppModule, new FastifyAdapter(), LOGGER)
    : NestFactory.create(AppModule, LOGGER));
  await app.listen(0, HOST);
  return { app, port: app.getHttpServer().address().port };
}

/** @param {any} AppModule */
async function listenToMessages(AppModule) {
  const port = await freePort();
  const options = { transport: Transport.TCP, options: { host: HOST, port } };
  const app = await NestFactory.createMicroservice(AppModule, { ...LOGGER, .../** @type {any} */ (options) });
  await app.listen();
  return { app, port };
}

async function freePort() {
  const server = createServer();
  await once(server.listen(0, HOST), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await once(server.close(), 'close');
  return port;
}

/**
 * The same handler in each style of locking; decorators are called by hand because nothing compiles this file.
 * @param {import('./handler-styles.mjs').Style} style
 * @param {boolean} isMessage
 */
function appModule({ module, token = NO_SERVICE, decorator, act = (_service, email) => ({ email }) }, isMessage) {
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
  const [route, argument] = isMessage ? [MessagePattern('register'), Payload()] : [Post(), Body()];
  decorate(prototype, 'register', decorator === undefined ? [route] : [route, decorator]);
  argument(prototype, 'register', 0);
  Inject(token)(UsersController, undefined, 0);
  Controller('users')(UsersController);
  // oxlint-disable-next-line typescript/no-extraneous-class -- to Nest, a module is a class
  class AppModule {}
  Module({
    imports: module === undefined ? [] : [module].flat(),
    controllers: [UsersController],
    providers: [{ provide: NO_SERVICE, useValue: undefined }],
  })(AppModule);
  return AppModule;
}

/** @param {object} prototype @param {string} method @param {MethodDecorator[]} decorators the uppermost first */
function decorate(prototype, method, decorators) {
  const before = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, method));
  Object.defineProperty(prototype, method, Reflect.decorate(decorators, prototype, method, before));
}
