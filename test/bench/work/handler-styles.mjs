import { UseInterceptors } from '@nestjs/common';
import { subscribe } from 'node:diagnostics_channel';
import { pathToFileURL } from 'node:url';
import { connect as connectRaw } from '../candidates/raw.mjs';
import { connectAll, load } from '../candidates/redis-5.mjs';
import { onceModules } from './once-modules.mjs';

const READY_WITHIN_MS = 35_000;

/** @typedef {{ style: string, platform: 'Express' | 'Fastify' | 'TCP', ports: number[], library: string, ttl: number }} StyleParams */
/**
 * @typedef {object} Style how a handler is locked
 * @property {any} [module]
 * @property {any} [token] of the service that the handler gets
 * @property {MethodDecorator} [decorator] of the handler
 * @property {(service: any, email: string) => unknown} [act] what the handler does
 * @property {(app: any) => Promise<void>} [ready] waits until locks can be had
 */

/** @param {StyleParams} params @returns {Promise<Style>} */
export async function styleOf(params) {
  switch (params.style) {
    case 'bare':
      return {};
    case 'hand-written':
      return handWritten(params);
    case 'nest-redlock':
      return nestRedlock(params);
    case 'first':
    case 'replay':
      return idempotent(params);
    default:
      return ours(params);
  }
}

/** @param {StyleParams} params @returns {Promise<Style>} */
async function ours({ style, platform, ports, library, ttl }) {
  /** @type {typeof import('nestjs-redlock')} */
  const { RedlockModule, RedlockService, WithLock } = await import(pathToFileURL(library).href);
  const nodes = ports.map((port) => `redis://127.0.0.1:${port}`);
  // New nodes may first have to earn the library's trust.
  const module = RedlockModule.forRoot({ nodes, defaults: { ttl }, waitForQuorum: READY_WITHIN_MS });
  const ready = (/** @type {any} */ app) =>
    app.get(RedlockService, { strict: false }).withLock('ready', () => undefined, { waitTimeout: READY_WITHIN_MS });
  const key = platform === 'TCP' ? 'user:<data.email>' : 'user:<body.email>';
  if (style === 'observed') observe();
  if (style === '@WithLock' || style === 'observed') return { module, ready, decorator: WithLock(key) };
  const act = (/** @type {any} */ service, /** @type {string} */ email) =>
    service.withLock(`user:${email}`, () => ({ email }));
  const locked = { module, ready, token: RedlockService, act };
  if (style !== 'interceptor') return locked;
  return { ...locked, decorator: UseInterceptors({ intercept: (_context, next) => next.handle() }) };
}

/** Whether a request is the first one for its key or another one is for the caller to choose. @param {StyleParams} params @returns {Promise<Style>} */
async function idempotent({ ports, library, ttl }) {
  const { modules, Idempotent } = await onceModules({ ports, library, ttl });
  return { module: modules, decorator: Idempotent('user:<body.email>') };
}

/** Subscribes to the channels that metrics and spans need. */
function observe() {
  const operations = ['acquire', 'hold', 'extend'].flatMap((name) => [`${name}:start`, `${name}:asyncEnd`]);
  const names = [...operations.map((name) => `tracing:nestjs-redlock:${name}`), 'nestjs-redlock:request'];
  for (const name of names) subscribe(name, () => undefined);
}

/** @param {StyleParams} params @returns {Promise<Style>} */
async function handWritten({ ports, ttl, library }) {
  const client = await connectRaw({ ports, ttl, library });
  return {
    async act(_service, email) {
      const lock = await client.acquire(`user:${email}`);
      try {
        return { email };
      } finally {
        await client.release(lock);
      }
    },
  };
}

/** @param {StyleParams} params @returns {Promise<Style>} */
async function nestRedlock({ ports, ttl }) {
  const { Redlock, RedlockModule } = load('@anchan828/nest-redlock');
  const module = RedlockModule.register({ clients: await connectAll(ports), duration: ttl });
  const keyOf = (/** @type {unknown} */ _target, /** @type {{ email: string }} */ { email }) => `user:${email}`;
  return { module, decorator: Redlock(keyOf) };
}
