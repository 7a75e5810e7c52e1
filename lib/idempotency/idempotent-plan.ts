import 'reflect-metadata';
import type { HttpException } from '@nestjs/common';
import { mistake } from '../engine/codes.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { type CompiledKey, compileKey, compileMethodKey } from '../with-lock/key/lock-key.js';
import { isClientError, type KeepsError } from './failure.js';
import type { Fingerprinting } from './fingerprint.js';
import { isNeverKept, KEPT_BY_DEFAULT } from './http-headers.js';
import {
  checkFor,
  checkIdempotencyOptions,
  type IdempotencyOptions,
  isText,
  type RedlockIdempotencyOptions,
  settingsOf,
} from './idempotency.options.js';
import type { OnceSettings } from './once-call.js';
import type { Codec } from './typed-json.js';

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

/** What `@Idempotent` says about a method, checked where the class is defined. */
export interface IdempotentPlan extends Pick<Fingerprinting, 'fingerprint'> {
  /** Undefined for the `Idempotency-Key` header. */
  readonly key: CompiledKey | undefined;
  readonly options: IdempotencyOptions;
  readonly required: boolean;
  readonly principal: CompiledKey | undefined;
  readonly isPublic: boolean;
  readonly keepsError: KeepsError;
  readonly headers: ReadonlySet<string>;
  readonly pool: string | undefined;
  readonly label: string;
  /** `@Idempotent on Class.method`, for messages. */
  readonly where: string;
}

const logger = new SafeLogger('Idempotent');
const OWN_NAMES = ['required', 'fingerprint', 'public', 'keepErrors', 'headers', 'principal', 'name', 'label'] as const;

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
  const check = checkFor(options, where);
  const isFunction = (value: unknown): boolean => typeof value === 'function';
  for (const name of ['required', 'public']) check(name, (value) => typeof value === 'boolean', 'true or false');
  for (const name of ['principal', 'name', 'label']) check(name, isText, 'a text that is not empty');
  const isFingerprint = (value: unknown): boolean => value === false || isText(value) || isFunction(value);
  check('fingerprint', isFingerprint, "'body', false, a template or a function of the request");
  const isKeepErrors = (value: unknown): boolean => value === '4xx' || isFunction(value);
  check('keepErrors', isKeepErrors, "'4xx', or a function that takes an HttpException");
  check('headers', (value) => Array.isArray(value) && value.every(isText), 'an array of names');
  const never = options.headers?.find((name) => isNeverKept(name.toLowerCase()));
  if (never !== undefined)
    throw mistake('REDLOCK_E03', `${where}: headers: ${never} belongs to one request or one client, and is never kept`);
  if (options.public === true && options.principal !== undefined)
    throw mistake('REDLOCK_E12', `${where}: public and principal exclude each other`);
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

/** What a method says, together with what its module says. */
export interface PreparedPlan extends IdempotentPlan, Fingerprinting {
  /** What the method says. */
  readonly plan: IdempotentPlan;
  readonly settings: OnceSettings;
  readonly codec: Codec | undefined;
  /** The address of a page for clients. */
  readonly docs: string | undefined;
}

/** What a module says. */
interface ModulePlan {
  readonly defaults: RedlockIdempotencyOptions;
  readonly secret?: string | undefined;
}

/** Several applications of a process may have one class, and different modules. */
const prepared = new WeakMap<ModulePlan, WeakMap<IdempotentPlan, PreparedPlan>>();

/** @throws TypeError, RangeError for options that the module and the method cannot have together, naming the method */
export function preparedPlan(module: ModulePlan, plan: IdempotentPlan): PreparedPlan {
  const plans = prepared.get(module) ?? new WeakMap<IdempotentPlan, PreparedPlan>();
  prepared.set(module, plans);
  const found = plans.get(plan) ?? prepare(module, plan);
  plans.set(plan, found);
  return found;
}

function prepare({ defaults, secret }: ModulePlan, plan: IdempotentPlan): PreparedPlan {
  const { principal: template, docs } = defaults;
  const { options } = plan;
  const compiled = template === undefined ? undefined : compileKey(template);
  const usual = needsPrincipal(plan) ? compiled : undefined;
  return {
    ...plan,
    plan,
    settings: settingsOf(defaults, options, plan.where),
    principal: plan.principal ?? usual,
    who: plan.principal || usual || plan.isPublic ? undefined : compiled,
    codec: options.codec ?? defaults.codec,
    secret,
    docs,
  };
}
