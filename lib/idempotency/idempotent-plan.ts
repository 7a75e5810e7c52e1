import 'reflect-metadata';
import type { HttpException } from '@nestjs/common';
import { misfit } from '../engine/options.js';
import { SafeLogger } from '../logging/safe-logger.js';
import type { CompiledKey } from '../with-lock/key/lock-key.js';
import { compileMethodKey } from '../with-lock/key/method-key.js';
import { isClientError } from './http-exceptions.js';
import { isNeverKept, KEPT_BY_DEFAULT } from './http-headers.js';
import { checkIdempotencyOptions, type IdempotencyOptions } from './idempotency.options.js';
import { mistake } from '../engine/codes.js';

/** The options of `@Idempotent`. */
export interface IdempotentOptions extends IdempotencyOptions {
  /** True rejects a request without an `Idempotency-Key` header. False runs the request without protection. @default true */
  required?: boolean;
  /**
   * What makes two requests equal. 'body': method, route, params, query and body, or the data of a message, or the arguments of a GraphQL
   * operation. A template or a function: its value. False: the key alone.
   * @default 'body' for handlers; false for other methods
   */
  fingerprint?: 'body' | false | (string & {}) | ((request: never) => unknown);
  /** True allows a key that reads headers without a principal. Every caller that sends the key then gets the same reply. @default false */
  public?: boolean;
  /** Which errors are kept like replies: '4xx', or those for which a function returns true. @default none */
  keepErrors?: '4xx' | ((error: HttpException) => boolean);
  /** The names of the headers that a replay repeats. @default `location`, `etag` and other headers of the content */
  headers?: readonly string[];
  /** Separates callers: a template such as '<user.id>'. @default the `principal` of the module, for keys that read headers */
  principal?: string;
  /** The name of the pool. @default the pool without a name */
  name?: string;
  /** Names the method in logs and telemetry. Write a constant text. @default the key template, or the name of the method */
  label?: string;
}

/** All that `@Idempotent` says about one method, checked where the class is defined. */
export interface IdempotentPlan {
  /** Undefined for the `Idempotency-Key` header. */
  readonly key: CompiledKey | undefined;
  readonly options: IdempotencyOptions;
  readonly required: boolean;
  /** Undefined for the default. */
  readonly fingerprint: 'body' | false | CompiledKey | ((request: never) => unknown) | undefined;
  readonly principal: CompiledKey | undefined;
  readonly isPublic: boolean;
  readonly keepsError: (error: HttpException) => boolean;
  readonly headers: ReadonlySet<string>;
  readonly pool: string | undefined;
  readonly label: string;
  /** `@Idempotent on Class.method`, for messages. */
  readonly where: string;
}

const logger = new SafeLogger('Idempotent');
const OWN_NAMES = ['required', 'fingerprint', 'public', 'keepErrors', 'headers', 'principal', 'name', 'label'] as const;
const TEXT = 'a text that is not empty';

/** @throws TypeError, RangeError for a malformed key or option, naming the method */
export function toIdempotentPlan(key: string | undefined, given: IdempotentOptions, where: string): IdempotentPlan {
  checkIdempotencyOptions(given, where, OWN_NAMES);
  checkOwnOptions(given, where);
  const {
    required = true,
    fingerprint,
    public: isPublic = false,
    keepErrors,
    headers,
    principal,
    name,
    label,
    ...options
  } = given;
  const compiled = key === undefined ? undefined : compileMethodKey(key, where, logger);
  return {
    key: compiled,
    options,
    required,
    fingerprint: isTemplate(fingerprint) ? compileMethodKey(fingerprint, `${where}: fingerprint`, logger) : fingerprint,
    principal: principal === undefined ? undefined : compileMethodKey(principal, `${where}: principal`, logger),
    isPublic,
    keepsError: keepErrors === '4xx' ? isClientError : (keepErrors ?? (() => false)),
    headers: new Set((headers ?? KEPT_BY_DEFAULT).map((header) => header.toLowerCase())),
    pool: name,
    label: label ?? compiled?.template ?? where.slice(where.lastIndexOf(' ') + 1),
    where,
  };
}

/** Compares what is on the way to a fixed word with a template, which reads something. */
function isTemplate(fingerprint: unknown): fingerprint is string {
  return typeof fingerprint === 'string' && fingerprint !== 'body';
}

function checkOwnOptions(options: IdempotentOptions, where: string): void {
  const { fingerprint, keepErrors, headers } = options;
  for (const name of ['required', 'public'] as const)
    if (!['undefined', 'boolean'].includes(typeof options[name]))
      throw misfit(`${where}: ${name}`, options[name], 'true or false');
  for (const name of ['principal', 'name', 'label'] as const)
    if (options[name] === '' || !['undefined', 'string'].includes(typeof options[name]))
      throw misfit(`${where}: ${name}`, options[name], TEXT);
  if (fingerprint !== undefined && fingerprint !== false && !isTextOrFunction(fingerprint))
    throw misfit(`${where}: fingerprint`, fingerprint, "'body', false, a template or a function of the request");
  if (keepErrors !== undefined && keepErrors !== '4xx' && typeof keepErrors !== 'function')
    throw misfit(`${where}: keepErrors`, keepErrors, "'4xx', or a function that takes an HttpException");
  checkHeaders(headers, where);
  if (options.public === true && options.principal !== undefined)
    throw mistake('REDLOCK_E12', `${where}: public and principal exclude each other`);
}

function isTextOrFunction(value: unknown): boolean {
  return typeof value === 'function' || (typeof value === 'string' && value !== '');
}

function checkHeaders(headers: unknown, where: string): void {
  if (headers === undefined) return;
  if (!Array.isArray(headers) || !headers.every((name) => typeof name === 'string' && name !== ''))
    throw misfit(`${where}: headers`, headers, 'an array of names');
  const never = (headers as string[]).find((name) => isNeverKept(name.toLowerCase()));
  if (never !== undefined)
    throw mistake('REDLOCK_E03', `${where}: headers: ${never} belongs to one request or one client, and is never kept`);
}

const PLAN = Symbol.for('nestjs-redlock:idempotent-plan');

export function setIdempotentPlan(method: object, plan: IdempotentPlan): void {
  Reflect.defineMetadata(PLAN, plan, method);
}

export function idempotentPlanOf(method: object): IdempotentPlan | undefined {
  return Reflect.getMetadata(PLAN, method) as IdempotentPlan | undefined;
}

/** Returns whether the reply of one client would go to any other that sends the same header. */
export function needsPrincipal({ key, isPublic }: IdempotentPlan): boolean {
  return !isPublic && (key === undefined || key.requestParts.some((part) => part.startsWith('headers.')));
}
