import 'reflect-metadata';
import { type OnModuleInit, type Provider, StreamableFile } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Readable } from 'node:stream';
import { mistake, type MistakeCode } from '../engine/codes.js';
import { located } from '../start-up/error-location.js';
import { answersItself, classesOf, membersOf } from '../with-lock/check/plan-check.js';
import { GRAPHQL, HTTP, kindsOf, misplacedText } from '../with-lock/key/key-roots.js';
import { planOf } from '../with-lock/run/lock-plan.js';
import { WRITE } from './idempotency-key.js';
import { getIdempotencyToken, type Idempotency } from './idempotency.js';
import type { RedlockIdempotencyOptions } from './idempotency.options.js';
import { type IdempotentPlan, idempotentPlanOf, needsPrincipal, preparedPlan } from './idempotent-plan.js';

/** The metadata keys of Nest: the method of a route, `@Sse`, and what GraphQL handlers are. */
const METHOD = 'method';
const SSE = '__sse__';
const OPERATION = 'graphql:resolver_type';
const FIELDS = ['graphql:resolve_property', 'graphql:resolve_reference'];

/** The methods that change nothing, by the numbers that Nest has for them; ALL includes them. */
const READING: ReadonlyMap<unknown, string> = new Map([
  [0, 'GET'],
  [5, 'ALL'],
  [6, 'OPTIONS'],
  [7, 'HEAD'],
]);

/** A method with `@Idempotent`. */
interface Found {
  readonly plan: IdempotentPlan;
  readonly method: object;
  readonly name: string | symbol;
  readonly type: object;
}

/** Provides a check of all methods with `@Idempotent` of a pool. It fails the start of an application if no such method could work in it. */
export function idempotentCheckFor(pool: string | undefined): Provider {
  return {
    provide: Symbol.for(`nestjs-redlock:idempotent-check:${pool ?? ''}`),
    useFactory: (modules: ModulesContainer, idempotency: Idempotency) => {
      const { principal }: RedlockIdempotencyOptions = idempotency.defaults;
      for (const found of methodsOf(modules, pool)) {
        const wrong = mistakeOf(found, principal);
        if (wrong !== undefined) throw naming(found, wrong);
        preparedPlan(idempotency, found.plan);
      }
      // Only the pool knows the bounds of lock options, and it may be made later.
      const onModuleInit = (): void => {
        for (const found of methodsOf(modules, pool))
          try {
            idempotency.runner.check(preparedPlan(idempotency, found.plan).settings);
          } catch (error) {
            throw naming(found, error as Error);
          }
      };
      return { onModuleInit } satisfies OnModuleInit;
    },
    inject: [ModulesContainer, getIdempotencyToken(pool)],
  };
}

function methodsOf(modules: ModulesContainer, pool: string | undefined): Found[] {
  return [...classesOf(modules)].flatMap((type) =>
    [...membersOf(type)].flatMap(([name, method]) => {
      const plan = typeof method === 'function' ? idempotentPlanOf(method) : undefined;
      return plan && plan.pool === pool ? [{ plan, method: method as object, name, type }] : [];
    }),
  );
}

/** What is checked, and the code of its mistake. */
const CHECKS: readonly (readonly [MistakeCode, (found: Found, principal?: string) => string | undefined])[] = [
  ['REDLOCK_E08', answerMistake],
  ['REDLOCK_E08', methodMistake],
  ['REDLOCK_E08', graphqlMistake],
  ['REDLOCK_E07', keyMistake],
  ['REDLOCK_E12', principalMistake],
  ['REDLOCK_E09', lockMistake],
];

function mistakeOf(found: Found, principal: string | undefined): Error | undefined {
  for (const [code, check] of CHECKS) {
    const text = check(found, principal);
    if (text !== undefined) return mistake(code, text);
  }
  return undefined;
}

function answerMistake({ method, name, type }: Found): string | undefined {
  if (Reflect.hasMetadata(SSE, method)) return 'a stream of events can be given only once';
  if (answersItself(name, type))
    return 'what a handler answers by @Res() or @Next() itself cannot be kept: return the answer, or write @Res({ passthrough: true })';
  const { prototype } = type as { readonly prototype: object };
  const returned: unknown = Reflect.getMetadata('design:returntype', prototype, name);
  return isStreamType(returned)
    ? `a ${returned.name} can be read only once, so that no duplicate could get it`
    : undefined;
}

function isStreamType(type: unknown): type is { readonly name: string } {
  if (typeof type !== 'function') return false;
  const streams: readonly unknown[] = [StreamableFile, Readable, Response, ReadableStream];
  return streams.some((stream) => type === stream) || (type.prototype as unknown) instanceof Readable;
}

function methodMistake({ method }: Found): string | undefined {
  if (!kindsOf(method).includes(HTTP)) return undefined;
  const verb = READING.get(Reflect.getMetadata(METHOD, method));
  return (
    verb && `${verb} requests are for reading, which may be repeated anyway: it is for POST, PUT, PATCH and DELETE`
  );
}

function graphqlMistake({ plan: { key }, method, name }: Found): string | undefined {
  const operation: unknown = Reflect.getMetadata(OPERATION, method);
  const isField = FIELDS.some((mark) => Reflect.hasMetadata(mark, method));
  if (isField || operation === 'Query' || operation === 'Subscription')
    return `a ${isField ? 'field' : String(operation).toLowerCase()} is for reading, which may be repeated anyway: it is for mutations`;
  if (!kindsOf(method).includes(GRAPHQL) || !key) return undefined;
  const isOfField = key.requestParts.some((part) => part.startsWith('args.')) || key.template?.includes(String(name));
  return isOfField
    ? undefined
    : `one request may have several mutations: put an argument such as <args.input.id>, or "${String(name)}", into the key`;
}

function keyMistake({ plan: { key }, method }: Found): string | undefined {
  const kinds = kindsOf(method);
  if (key === undefined)
    return kinds.some((kind) => kind === HTTP) ? undefined : `only HTTP has an Idempotency-Key header: ${WRITE}`;
  if (kinds.length > 0 && key.needsArguments)
    return 'the key of a handler is made before its arguments are: read it from the request, as in <body.id>, <data.id> or <args.id>';
  const part = key.requestParts.find((one) => !kinds.some(({ roots }) => roots.includes(one.split('.')[0]!)));
  return part === undefined ? undefined : misplacedText(part, kinds[0]);
}

function principalMistake({ plan }: Found, principal?: string): string | undefined {
  if (!needsPrincipal(plan) || plan.principal !== undefined || principal !== undefined) return undefined;
  return (
    'whoever sends the header of another client would get the reply of that client: set ' +
    "RedlockIdempotencyModule.forRoot({ principal: '<user.id>' }), or { principal } here, or { public: true }"
  );
}

function lockMistake({ plan: { key }, method }: Found): string | undefined {
  const lock = planOf(method);
  if (key?.template === undefined || lock?.key.template === undefined) return undefined;
  return lock.key.template.split(', ').includes(key.template)
    ? '@WithLock has the same key here, and would wait for this very call: leave @WithLock out, or give it another key'
    : undefined;
}

/** Returns the error with the method that it is about, and with the class if that has inherited the method. */
function naming({ plan: { where }, type }: Found, error: Error): Error {
  const { name } = type as { name: string };
  const heir = where.startsWith(`@Idempotent on ${name}.`) ? '' : ` (of ${name})`;
  return located(error, `${where}${heir}`);
}
