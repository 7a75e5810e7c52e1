import 'reflect-metadata';
import type { ExecutionContext } from '@nestjs/common';
import { GRAPHQL, HTTP } from '../with-lock/key/key-roots.js';
import type { HandlerCall } from '../with-lock/transport/handler-call.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { fingerprintOf } from './fingerprint.js';
import { contentOf, hasUnknownBody, type HttpRequest } from './http-request.js';
import type { IdempotentPlan } from './idempotent-plan.js';
import type { PreparedPlan } from './prepared-plan.js';
import { coded } from '../engine/codes.js';

/** The metadata keys of Nest's decorators for messages, which hold what a handler listens to. */
const PATTERNS = ['microservices:pattern', 'websockets:message_mapping'];

/** What stands for a key, and what its calls are compared by. */
type Comparison = Pick<IdempotentPlan, 'fingerprint'> & Pick<PreparedPlan, 'secret' | 'who'>;

/** Returns the fingerprint of a call of a handler; null if calls are not compared. @throws LockKeyError for a part that is missing */
export function handlerFingerprint(
  { fingerprint = 'body', secret, who }: Comparison,
  key: string,
  call: HandlerCall,
  context: ExecutionContext,
): string | null {
  if (fingerprint === false) return null;
  const content = fingerprint === 'body' ? [wholeOf(call, context), askerOf(who, call)] : madeBy(fingerprint, call);
  return fingerprintOf(content, key, secret);
}

/** Returns who is asking; null if nobody has signed in, as for a sign-up. */
function askerOf(who: Comparison['who'], { request, kind }: HandlerCall): string | null {
  try {
    return who?.resolve({ request, kind })[0] ?? null;
  } catch {
    return null;
  }
}

function madeBy(
  fingerprint: Exclude<Comparison['fingerprint'], 'body' | false | undefined>,
  call: HandlerCall,
): unknown {
  const { request, kind } = call;
  return typeof fingerprint === 'function' ? fingerprint(request as never) : fingerprint.resolve({ request, kind });
}

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

/** Returns the fingerprint of a call of a method that is no handler, by its arguments; null if calls are not compared. */
export function argumentsFingerprint(
  { fingerprint = false, secret }: Comparison,
  key: string,
  args: readonly unknown[],
): string | null {
  if (fingerprint === false) return null;
  if (fingerprint === 'body') return fingerprintOf(args, key, secret);
  const content = typeof fingerprint === 'function' ? fingerprint(args as never) : fingerprint.resolve({ args });
  return fingerprintOf(content, key, secret);
}
