// The application of all candidates: one controller, a guard that says who asks, and Nest's ClassSerializerInterceptor.
import 'reflect-metadata';
import { appendFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Body,
  ClassSerializerInterceptor,
  Controller,
  Module,
  Post,
  StreamableFile,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_INTERCEPTOR, NestFactory, Reflector } from '@nestjs/core';
import { Exclude } from 'class-transformer';

/** @type {{ file: string, ports: number[], isDocumented: boolean, runs: string }} */
const { file, ports, isDocumented, runs } = JSON.parse(process.argv[2] ?? '');
const { packageOf } = await import(`./${file}`);
/** @typedef {{ run: string, item?: string, pause?: number }} Order what a client sends: `run` names what belongs together */
/**
 * @typedef {object} Package how a package gets into the application
 * @property {any[]} imports of the module
 * @property {() => MethodDecorator[]} handler decorators of a handler
 * @property {() => MethodDecorator[]} [refusing] of one that must not run again after a crash
 * @property {ClassDecorator[]} [controller]
 * @property {(app: any) => unknown} [prepare]
 * @property {boolean} [isOutermost] whether the serializer is to stand on the controller, within a global interceptor of the package
 */
/** @type {Package} */
const how = packageOf({ ports, isDocumented });
const { imports, handler, refusing = handler, controller = [], isOutermost = false } = how;
const LARGE = 100_000;

class Account {
  password = '$2b$10$hash';

  /** @param {string} id @param {string | undefined} item */
  constructor(id, item) {
    this.id = id;
    this.item = item;
  }

  hasPassword() {
    return this.password !== '';
  }
}
Exclude()(Account.prototype, 'password');

/** Stands in for authentication: the guard puts the user where guards do. */
class WhoGuard {
  /** @param {import('@nestjs/common').ExecutionContext} context */
  canActivate(context) {
    const request = context.switchToHttp().getRequest();
    request.user = { id: request.headers['x-user'] ?? 'ann' };
    return true;
  }
}

/** Notes in a file of all replicas that a handler runs. @param {Order} body */
function note(body) {
  appendFileSync(runs, `${body.run}\n`);
  return { id: randomUUID() };
}

class AccountsController {
  /** @param {Order} body */
  async create(body) {
    const { id } = note(body);
    if (body.pause) await sleep(body.pause);
    return new Account(id, body.item);
  }

  /** @param {Order} body */
  async crash(body) {
    return crashOnce(body);
  }

  /** @param {Order} body */
  async refuse(body) {
    return crashOnce(body);
  }

  /** @param {Order} body */
  large(body) {
    return { ...note(body), text: 'x'.repeat(LARGE) };
  }

  /** @param {Order} body */
  stream(body) {
    note(body);
    return new StreamableFile(Buffer.from(randomUUID().repeat(LARGE / 36)));
  }
}

/** @param {Order} body */
async function crashOnce(body) {
  const { id } = note(body);
  if (process.env.CRASH === 'yes') process.kill(process.pid, 'SIGKILL');
  return { id };
}

/** @param {object} prototype @param {string} method @param {MethodDecorator[]} decorators the uppermost first */
function decorate(prototype, method, decorators) {
  const before = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, method));
  Object.defineProperty(prototype, method, Reflect.decorate(decorators, prototype, method, before));
  Body()(prototype, method, 0);
}

const { prototype } = AccountsController;
for (const method of ['create', 'crash', 'large', 'stream']) decorate(prototype, method, [Post(method), ...handler()]);
decorate(prototype, 'refuse', [Post('refuse'), ...refusing()]);
const serializing = isOutermost ? [UseInterceptors(ClassSerializerInterceptor)] : [];
for (const one of [Controller(), UseGuards(WhoGuard), ...controller, ...serializing]) one(AccountsController);
const serializer = {
  provide: APP_INTERCEPTOR,
  useFactory: (/** @type {Reflector} */ reflector) => new ClassSerializerInterceptor(reflector),
  inject: [Reflector],
};
// oxlint-disable-next-line typescript/no-extraneous-class -- to Nest, a module is a class
class AppModule {}
Module({ imports, controllers: [AccountsController], providers: isOutermost ? [] : [serializer] })(AppModule);

const app = await NestFactory.create(AppModule, { logger: ['error'] });
await how.prepare?.(app);
await app.listen(0, '127.0.0.1');
process.send?.({ port: app.getHttpServer().address().port });
process.on('disconnect', () => process.exit());
