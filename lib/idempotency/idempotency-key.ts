import type { ExecutionContext } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { HTTP, KeyDefinitionError } from '../with-lock/key/key-roots.js';
import type { KeySource } from '../with-lock/key/key-template.js';
import type { HandlerCall } from '../with-lock/transport/handler-call.js';
import { canonicalJson } from './fingerprint.js';
import { type HttpRequest, routeOf } from './http-request.js';
import { IdempotencyError } from './idempotency.errors.js';
import type { IdempotentPlan } from './idempotent-plan.js';

const HEADER = 'idempotency-key';
/** The part of a template that reads the header. */
const HEADER_PART = `headers.${HEADER}`;
const PRINTABLE = /^[\x20-\x7E]{1,255}$/;
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;
/** Characters of the route that a key shows at most. */
const MOST_SHOWN = 200;
/** Bytes of a key at most, as of every name of a lock. */
const MOST_BYTES = 512;
/** What to write if there is no header. */
export const WRITE = "write @Idempotent('...') with a key";

/**
 * Returns the idempotency key that a client has sent, without the quotes around it; undefined if it has sent none.
 * @throws IdempotencyError IDEMPOTENCY_KEY_INVALID
 */
export function headerOf(request: HttpRequest): string | undefined {
  const [value, ...others] = new Set(linesOf(request).map(unquoted));
  if (value === undefined) return undefined;
  if (others.length > 0 || !PRINTABLE.test(value)) throw new IdempotencyError('IDEMPOTENCY_KEY_INVALID', '');
  return value;
}

/** Returns the values of all lines: Node joins those of one name into one text. */
function linesOf({ raw, rawHeaders = raw?.rawHeaders, headers }: HttpRequest): readonly string[] {
  const lines = (rawHeaders ?? []).filter(
    (_, index, all) => index % 2 === 1 && all[index - 1]!.toLowerCase() === HEADER,
  );
  if (lines.length > 0) return lines.map((line) => line.trim());
  const given = (headers as Partial<HttpRequest>['headers'])?.[HEADER];
  return given === undefined ? [] : [given].flat();
}

/** Returns the text that the quotes of a structured field stand for; a text without quotes as it is. */
function unquoted(text: string): string {
  const [, inner] = QUOTED.exec(text) ?? [];
  return inner === undefined ? text : inner.replace(/\\(["\\])/g, '$1');
}

/** How the key of a call is made. Without a template, the header is the key. */
export type KeyPlan = Pick<IdempotentPlan, 'key' | 'principal' | 'required'>;

/**
 * Returns the key of a call of a handler; undefined if it needs none and has none.
 * @throws IdempotencyError for a missing or malformed header; LockKeyError for another part that is missing
 */
export function keyOfCall(
  plan: KeyPlan,
  call: Pick<HandlerCall, 'request' | 'kind'>,
  context: ExecutionContext,
): string | undefined {
  const { key, required } = plan;
  const { kind } = call;
  if (key !== undefined && !key.requestParts.includes(HEADER_PART)) return keyOfSource(plan, call);
  if (key === undefined && kind !== HTTP)
    throw new KeyDefinitionError(`${kind.what} has no Idempotency-Key header: ${WRITE}`);
  const request = call.request as HttpRequest;
  const header = headerOf(request);
  if (header === undefined) {
    if (required) throw new IdempotencyError('IDEMPOTENCY_KEY_MISSING', '');
    return undefined;
  }
  if (key !== undefined) return keyOfSource(plan, { request: withHeader(request, header), kind });
  const route = routeOf(request, context);
  const principal = plan.principal?.resolve({ request })[0];
  const all = canonicalJson([principal, route, request.params, header]);
  return `idem:${route.slice(0, MOST_SHOWN)}:${createHash('sha256').update(all).digest('hex')}`;
}

/** Returns the key that a template makes, for the one principal if there is one. @throws LockKeyError for a part that is missing */
export function keyOfSource({ key, principal }: KeyPlan, source: KeySource): string {
  const [text = ''] = key?.resolve(source) ?? [];
  const [who] = principal?.resolve(source) ?? [];
  // Values hold no such separator, since templates encode it.
  const full = who === undefined ? text : `${text}|by:${createHash('sha256').update(who).digest('base64url')}`;
  if (Buffer.byteLength(full) <= MOST_BYTES) return full;
  return `idem:${createHash('sha256').update(full).digest('hex')}`;
}

/** Returns the request with the header as it counts; all else is read from the request itself. */
function withHeader(request: HttpRequest, header: string): HttpRequest {
  const headers = { value: { ...request.headers, [HEADER]: header } };
  return Object.create(request, { headers }) as HttpRequest;
}
