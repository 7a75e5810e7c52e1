import 'reflect-metadata';
import type { ExecutionContext } from '@nestjs/common';
import { createHash, createHmac } from 'node:crypto';
import { coded } from '../engine/codes.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { GRAPHQL, HTTP } from '../with-lock/key/key-roots.js';
import type { KeySource } from '../with-lock/key/key-template.js';
import type { CompiledKey } from '../with-lock/key/lock-key.js';
import type { HandlerCall } from '../with-lock/transport/handler-call.js';
import { contentOf, hasUnknownBody, type HttpRequest } from './http-request.js';

/**
 * Returns what is kept to tell one request from another: a hash of the content, from which nobody can find the content by trying. Objects are equal
 * whatever the order of their properties.
 * @param secret makes the hash an HMAC; without one it is salted with the key
 */
export function fingerprintOf(content: unknown, key: string, secret: string | undefined): string {
  const hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  return hash.update(`${key.length}:${key}`).update(canonicalJson(content)).digest('base64url');
}

/** Returns JSON with sorted properties; equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  // Within a list, so that nothing has a text as well.
  return JSON.stringify([value], function replaced(this: Record<string, unknown>, name: string, part: unknown) {
    // The bytes themselves, and not what their `toJSON` makes of them: a number of each.
    return sorted(this[name] instanceof Uint8Array ? this[name] : part);
  });
}

function sorted(value: unknown): unknown {
  if (typeof value === 'bigint') return { bigint: value.toString() };
  if (value instanceof Uint8Array) return { bytes: createHash('sha256').update(value).digest('base64url') };
  if (value instanceof Map || value instanceof Set) return [...(value as Iterable<unknown>)];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value).sort();
  // Defines the properties, so that one with the name `__proto__` is one as well.
  return Object.fromEntries(names.map((name) => [name, (value as Record<string, unknown>)[name]]));
}

/** What tells one request from another, as the options say it. */
export interface Fingerprinting {
  /** Undefined for the default. */
  readonly fingerprint: 'body' | false | CompiledKey | ((request: never) => unknown) | undefined;
  /** Tells users apart whose keys are the same. */
  readonly who: CompiledKey | undefined;
  readonly secret: string | undefined;
}

/** Returns the fingerprint of a call of a handler; null if calls are not compared. @throws LockKeyError for a part that is missing */
export function handlerFingerprint(
  { fingerprint = 'body', secret, who }: Fingerprinting,
  key: string,
  call: HandlerCall,
  context: ExecutionContext,
): string | null {
  if (fingerprint === false) return null;
  const { request, kind } = call;
  const content = fingerprint === 'body' ? wholeOf(call, context) : madeBy(fingerprint, request, { request, kind });
  return fingerprintOf([content, userOf(who, call)], key, secret);
}

/** Returns the fingerprint of a call of another method, by its arguments; null if calls are not compared. */
export function argumentsFingerprint(
  { fingerprint = false, secret }: Fingerprinting,
  key: string,
  args: readonly unknown[],
): string | null {
  if (fingerprint === false) return null;
  return fingerprintOf(fingerprint === 'body' ? args : madeBy(fingerprint, args, { args }), key, secret);
}

function madeBy(by: CompiledKey | ((request: never) => unknown), from: unknown, source: KeySource): unknown {
  return typeof by === 'function' ? by(from as never) : by.resolve(source);
}

/** Returns the user; null if nobody has signed in, as for a sign-up. */
function userOf(who: CompiledKey | undefined, { request, kind }: HandlerCall): string | null {
  try {
    return who?.resolve({ request, kind })[0] ?? null;
  } catch {
    return null;
  }
}

/** The metadata keys of Nest's decorators for messages: what a handler listens to. */
const PATTERNS = ['microservices:pattern', 'websockets:message_mapping'];

function wholeOf({ kind, request }: HandlerCall, context: ExecutionContext): unknown {
  if (kind === HTTP) {
    if (hasUnknownBody(request as HttpRequest)) warnOfBody(context);
    return contentOf(request as HttpRequest, context);
  }
  const { args, data } = request as { readonly args?: unknown; readonly data?: unknown };
  if (kind === GRAPHQL)
    return [context.getArgs<[unknown, unknown, unknown, { fieldName?: string }?]>()[3]?.fieldName, args];
  return [PATTERNS.map((mark) => Reflect.getMetadata(mark, context.getHandler()) as unknown), data];
}

const logger = new SafeLogger('Idempotent');
const warned = new WeakSet<object>();

function warnOfBody(context: ExecutionContext): void {
  const method = context.getHandler();
  if (warned.has(method)) return;
  warned.add(method);
  const where = `@Idempotent on ${context.getClass().name}.${method.name}`;
  const text =
    `${where}: nobody has parsed the body yet, as with uploads. Requests are compared by length and type of the body only. Have clients ` +
    'send a Content-Digest header, or give another fingerprint';
  logger.warn(coded('REDLOCK_W26', text));
}
