import 'reflect-metadata';
import { type OnModuleInit, type Provider, StreamableFile } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Readable } from 'node:stream';
import { located } from '../start-up/error-location.js';
import { answersItself } from '../with-lock/check/method-checks.js';
import { classesOf, membersOf } from '../with-lock/check/plan-check.js';
import { GRAPHQL, HTTP, kindsOf, misplacedText } from '../with-lock/key/key-roots.js';
import { planOf } from '../with-lock/run/lock-plan.js';
import { WRITE } from './idempotency-key.js';
import type { Idempotency } from './idempotency.js';
import type { RedlockIdempotencyOptions } from './idempotency.options.js';
import { getIdempotencyToken } from './idempotency.tokens.js';
import { type IdempotentPlan, idempotentPlanOf, needsPrincipal } from './idempotent-plan.js';
import { preparedPlan } from './prepared-plan.js';
import { mistake, type MistakeCode } from '../engine/codes.js';

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
interface Checked {
  readonly plan: IdempotentPlan;
  readonly method: object;
  readonly name: string | symbol;
  readonly type: object;
  /** The principal of the module. */
  readonly principal: string | undefined;
}

/** Provides a check of all methods with `@Idempotent` of a pool, which fails the start of an application that no such method could work in. */
export function idempotentCheckFor(name: string | undefined): Provider {
  return {
    provide: Symbol.for(`nestjs-redlock:idempotent-check:${name ?? ''}`),
    useFactory: (modules: ModulesContainer, idempotency: Idempotency) => {
      checkIdempotentMethods(modules, idempotency, name);
      return { onModuleInit: () => checkLocks(modules, idempotency, name) } satisfies OnModuleInit;
    },
    inject: [ModulesContainer, getIdempotencyToken(name)],
  };
}

/** @throws TypeError, RangeError for what no call could work with, naming class and method */
export function checkIdempotentMethods(
  modules: ModulesContainer,
  idempotency: Idempotency,
  pool: string | undefined,
): void {
  const { principal }: RedlockIdempotencyOptions = idempotency.defaults;
  for (const found of methodsOf(modules, pool)) {
    const wrong = mistakeOf({ ...found, principal });
    if (wrong !== undefined) throw naming(found.plan, found.type, wrong);
    preparedPlan(idempotency, found.plan);
  }
}

/** Checks the lock options, which only the pool knows the bounds of. @throws TypeError, RangeError that name class and method */
function checkLocks(modules: ModulesContainer, idempotency: Idempotency, pool: string | undefined): void {
  for (const { plan, type } of methodsOf(modules, pool)) {
    try {
      idempotency.runner.check(preparedPlan(idempotency, plan).settings);
    } catch (error) {
      throw naming(plan, type, error as Error);
    }
  }
}

/** Returns the methods with `@Idempotent` of a pool. */
function methodsOf(modules: ModulesContainer, pool: string | undefined): Omit<Checked, 'principal'>[] {
  return [...classesOf(modules)].flatMap((type) =>
    [...membersOf(type)].flatMap(([name, method]) => {
      const plan = typeof method === 'function' ? idempotentPlanOf(method) : undefined;
      return plan && plan.pool === pool ? [{ plan, method: method as object, name, type }] : [];
    }),
  );
}

/** What is checked, and the code of its mistake. */
const CHECKS: readonly (readonly [MistakeCode, (checked: Checked) => string | undefined])[] = [
  ['REDLOCK_E08', answerMistake],
  ['REDLOCK_E08', methodMistake],
  ['REDLOCK_E08', graphqlMistake],
  ['REDLOCK_E07', keyMistake],
  ['REDLOCK_E12', principalMistake],
  ['REDLOCK_E09', lockMistake],
];

function mistakeOf(checked: Checked): Error | undefined {
  for (const [code, check] of CHECKS) {
    const text = check(checked);
    if (text !== undefined) return mistake(code, text);
  }
  return undefined;
}

function answerMistake({ method, name, type }: Checked): string | undefined {
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

function methodMistake({ method }: Checked): string | undefined {
  if (!kindsOf(method).includes(HTTP)) return undefined;
  const verb = READING.get(Reflect.getMetadata(METHOD, method));
  return (
    verb && `${verb} requests are for reading, which may be repeated anyway: it is for POST, PUT, PATCH and DELETE`
  );
}

function graphqlMistake({ plan: { key }, method, name }: Checked): string | undefined {
  const operation: unknown = Reflect.getMetadata(OPERATION, method);
  const isField = FIELDS.some((mark) => Reflect.hasMetadata(mark, method));
  if (isField || operation === 'Query' || operation === 'Subscription')
    return `a ${isField ? 'field' : String(operation).toLowerCase()} is for reading, which may be repeated anyway: it is for mutations`;
  if (!kindsOf(method).includes(GRAPHQL) || !key) return undefined;
  const isOfField = key.requestParts.some((part) => part.startsWith('args.')) || key.template?.includes(String(name));
  return isOfField
    ? undefined
    : `one request may have several mutations: the key needs an argument such as <args.input.id>, or the name "${String(name)}"`;
}

function keyMistake({ plan: { key }, method }: Checked): string | undefined {
  const kinds = kindsOf(method);
  if (key === undefined)
    return kinds.some((kind) => kind === HTTP) ? undefined : `only HTTP has an Idempotency-Key header: ${WRITE}`;
  if (kinds.length > 0 && key.needsArguments)
    return 'the key of a handler is made before its arguments are: read it from the request, as in <body.id>, <data.id> or <args.id>';
  const part = key.requestParts.find((one) => !kinds.some(({ roots }) => roots.includes(one.split('.')[0]!)));
  return part === undefined ? undefined : misplacedText(part, kinds[0]);
}

function principalMistake({ plan, principal }: Checked): string | undefined {
  if (!needsPrincipal(plan) || plan.principal !== undefined || principal !== undefined) return undefined;
  return (
    'whoever sends the header of another client would get the reply of that client: set ' +
    "RedlockIdempotencyModule.forRoot({ principal: '<user.id>' }), or { principal } here, or { public: true }"
  );
}

function lockMistake({ plan: { key }, method }: Checked): string | undefined {
  const lock = planOf(method);
  if (key?.template === undefined || lock?.key.template === undefined) return undefined;
  return lock.key.template.split(', ').includes(key.template)
    ? '@WithLock has the same key here, and would wait for this very call: leave @WithLock out, or give it another key'
    : undefined;
}

/** Returns the error with the method that it is about, and with the class if that has inherited the method. */
function naming({ where }: IdempotentPlan, type: object, error: Error): Error {
  const { name } = type as { name: string };
  const heir = where.startsWith(`@Idempotent on ${name}.`) ? '' : ` (of ${name})`;
  return located(error, `${where}${heir}`);
}
