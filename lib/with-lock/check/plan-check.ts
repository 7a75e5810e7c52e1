import { type OnModuleInit, type Provider, VersioningType } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import type { LockOptions } from '../../engine/options.js';
import { located } from '../../start-up/error-location.js';
import { secondsIn } from '../../start-up/node-warnings.js';
import { refuseTwoPools } from '../../start-up/pool-names.js';
import { CHECK, getRedlockToken } from '../../redlock.tokens.js';
import { HTTP, kindsOf, misplaced } from '../key/key-roots.js';
import { mistake } from '../../engine/codes.js';
import { SafeLogger } from '../../logging/safe-logger.js';
import { type LockPlan, planOf } from '../run/lock-plan.js';

/** A `RedlockService`, or a test double of it, which need not have this method. */
type Checking = { [CHECK]?(options: LockOptions, resources: number | undefined): void } | null | undefined;

/** How an application is set up; an application that serves nothing has no adapter. */
type Application = [ApplicationConfig, Partial<HttpAdapterHost>];

/** A method of a class, which may have inherited it, and the plan of its lock. */
interface LockedMethod {
  readonly plan: LockPlan;
  readonly method: object;
  /** Of the property, under which metadata is kept. A decorator may have replaced the method by a function with another name, or with none. */
  readonly name: string | symbol;
  readonly type: object;
}

/**
 * Provides a check of all methods that lock on a pool, and that the pool is the only one of its name, before its nodes are connected. The
 * routes of the methods are checked as soon as they are known, when the application is set up.
 */
export function planCheckFor(name: string | undefined, applies?: (modules: ModulesContainer) => boolean): Provider {
  // The check of a testing pool has another token, because a testing pool that does not apply must not count as a second pool.
  const token = Symbol.for(`nestjs-redlock:${applies ? 'testing-' : ''}plan-check:${name ?? ''}`);
  return {
    provide: token,
    useFactory: (modules: ModulesContainer, service: Checking, ...[config, host]: Application) => {
      if (!applies) refuseTwoPools([...modules.values()], { name, token });
      if (applies?.(modules) === false) return undefined;
      const methods = lockedMethods(classesOf(modules), name);
      checkPlans(methods, service);
      if (!applies) warnOfSeconds(methods);
      // Without an adapter there are no routes: a script that only loads the modules of an application does not know the global prefix.
      return { onModuleInit: () => host.httpAdapter && checkRoutes(modules, config, name) } satisfies OnModuleInit;
    },
    inject: [ModulesContainer, getRedlockToken(name), ApplicationConfig, HttpAdapterHost],
  };
}

/**
 * Checks methods before anything is connected.
 * @throws TypeError, RangeError for what no call could work with, naming class and method
 */
function checkPlans(methods: readonly LockedMethod[], service: Checking): void {
  const limits = new Map<string, LockPlan>();
  for (const locked of methods) {
    const { plan, type } = locked;
    const { key, options } = plan;
    refuseTwoLimits(plan, limits);
    const error = partMistake(locked) ?? argumentMistake(locked) ?? responseMistake(locked);
    if (error) throw naming(plan, type, error);
    try {
      service?.[CHECK]?.(options, key.count);
    } catch (failure) {
      throw naming(plan, type, failure as Error);
    }
  }
}

/** @throws TypeError for a key that has one limit here and another one there: such methods do not exclude each other */
function refuseTwoLimits(plan: LockPlan, limits: Map<string, LockPlan>): void {
  const { template } = plan.key;
  if (template === undefined) return;
  const other = limits.get(template) ?? plan;
  limits.set(template, other);
  const [one, two] = [other.options.limit, plan.options.limit];
  if (one === two) return;
  throw mistake(
    'REDLOCK_E15',
    `${plan.where} has limit: ${two}, and ${other.where} has limit: ${one}, for the key '${template}'. They do not exclude each other: ` +
      'give both the same limit, or different keys',
  );
}

/** Warns of durations that look like seconds. */
function warnOfSeconds(methods: readonly LockedMethod[]): void {
  const logger = new SafeLogger('RedlockModule');
  for (const { plan } of methods) for (const warning of secondsIn(plan.options, plan.where)) logger.warn(warning);
}

/** @throws TypeError for a key that reads a parameter which no route has, naming class and method */
function checkRoutes(modules: ModulesContainer, config: ApplicationConfig, pool: string | undefined): void {
  const controllers = [...modules.values()].flatMap((module) => [...module.controllers.values()]);
  for (const locked of lockedMethods(typesOf(controllers), pool)) {
    const error = routeMistake(locked, modules, config);
    if (error) throw naming(locked.plan, locked.type, error);
  }
}

/** Returns the error with the method that it is about, and with the class if that has inherited the method. */
function naming({ where }: Pick<LockPlan, 'where'>, type: object, error: Error): Error {
  const { name } = type as { name: string };
  const heir = where.startsWith(`@WithLock on ${name}.`) ? '' : ` (of ${name})`;
  return located(error, `${where}${heir}`);
}

/** Returns the classes of all controllers and providers of an application. */
export function classesOf(modules: ModulesContainer): Set<object> {
  const wrappers = [...modules.values()].flatMap(({ controllers, providers }) => [
    ...controllers.values(),
    ...providers.values(),
  ]);
  return typesOf(wrappers);
}

function typesOf(wrappers: readonly { readonly metatype: unknown }[]): Set<object> {
  return new Set(wrappers.flatMap(({ metatype }) => (typeof metatype === 'function' ? [metatype] : [])));
}

function lockedMethods(types: Set<object>, pool: string | undefined): LockedMethod[] {
  return [...types].flatMap((type) =>
    [...membersOf(type)].flatMap(([name, method]) => {
      const plan = typeof method === 'function' ? planOf(method) : undefined;
      return plan && plan.pool === pool ? [{ plan, method: method as object, name, type }] : [];
    }),
  );
}

/** Returns what objects of the class have, including what is inherited, by the names of the properties. */
export function membersOf(type: object): Map<string | symbol, unknown> {
  const members = new Map<string | symbol, unknown>();
  let prototype = (type as { prototype?: object | null }).prototype ?? null;
  while (prototype !== null && prototype !== Object.prototype) {
    for (const name of Reflect.ownKeys(prototype))
      if (!members.has(name)) members.set(name, Object.getOwnPropertyDescriptor(prototype, name)!.value);
    prototype = Object.getPrototypeOf(prototype) as object | null;
  }
  return members;
}

/** Returns the error for a key that reads a part of a request which no kind of request that the method handles has. */
function partMistake({ plan, method }: LockedMethod): Error | undefined {
  const kinds = kindsOf(method);
  const part = plan.key.requestParts.find((one) => !kinds.some(({ roots }) => roots.includes(one.split('.')[0]!)));
  return part === undefined ? undefined : misplaced(part, kinds[0]);
}

/** The metadata keys of Nest: paths of methods and controllers, versions of both, and the path that `RouterModule` gives a module. */
const PATH = 'path';
const VERSION = '__version__';
const MODULE_PATH = '__module_path__';

/** Matches what every adapter understands in the same way: text, parameters, and optional parts. */
const PLAIN = /^(?:[\w./{}-]|:[A-Za-z_]\w*(?=[/.{}-]|$))*$/;
const PATH_PARAMETERS = /:(\w+)/g;

/** Returns the error for a key that reads a parameter which no route of the method has; undefined if that cannot be said for sure. */
function routeMistake(
  locked: LockedMethod,
  modules: ModulesContainer,
  config: ApplicationConfig,
): TypeError | undefined {
  const { plan, method } = locked;
  const wanted = plan.key.requestParts.filter((part) => part.startsWith('params.')).map((part) => part.slice(7));
  if (wanted.length === 0 || !kindsOf(method).includes(HTTP)) return undefined;
  const pieces = piecesOf(locked, modules, config);
  // For a wildcard or a regular expression, the adapters make parameters with names of their own.
  if (!pieces.every((piece) => typeof piece === 'string' && PLAIN.test(piece))) return undefined;
  const names = new Set(
    (pieces as string[]).flatMap((piece) => [...piece.matchAll(PATH_PARAMETERS)].map(([, name]) => name!)),
  );
  const missing = wanted.find((name) => !names.has(name));
  return missing === undefined ? undefined : noParameter(missing, [...names]);
}

function noParameter(name: string, names: readonly string[]): TypeError {
  const there = names.map((one) => `<params.${one}>`).join(', ');
  return mistake(
    'REDLOCK_E07',
    `<params.${name}> is on no route of this method; ` +
      (there === '' ? `its path has no parameters, so write :${name} there` : `there is ${there}`) +
      '. If a guard sets it, use a key function',
  );
}

/** Returns all pieces that the paths of a method may be made of. */
function piecesOf({ method, type }: LockedMethod, modules: ModulesContainer, config: ApplicationConfig): unknown[] {
  const hosts = [...modules.values()].filter(({ controllers }) =>
    [...controllers.values()].some(({ metatype }) => metatype === type),
  );
  return [
    config.getGlobalPrefix(),
    ...versionsOf(method, type, config),
    ...hosts.map(({ metatype }) => pathOf(metatype, modules)),
    Reflect.getMetadata(PATH, type) as unknown,
    Reflect.getMetadata(PATH, method) as unknown,
  ].flat();
}

/** Returns the versions that are part of a path. */
function versionsOf(method: object, type: object, config: ApplicationConfig): unknown[] {
  const versioning = config.getVersioning();
  if (versioning?.type !== VersioningType.URI) return [];
  const versions: unknown[] = [Reflect.getMetadata(VERSION, method), Reflect.getMetadata(VERSION, type)];
  return [...versions, versioning.defaultVersion, versioning.prefix]
    .flat()
    .filter((version) => typeof version === 'string');
}

function pathOf(module: object, { applicationId }: ModulesContainer): unknown {
  const path: unknown = Reflect.getMetadata(MODULE_PATH + applicationId, module);
  return path ?? Reflect.getMetadata(MODULE_PATH, module) ?? '';
}

/** Returns the error for a key that reads an argument which the method does not have; undefined if the number of arguments is not known. */
function argumentMistake({ plan, method, name, type }: LockedMethod): TypeError | undefined {
  const { length } = method as { readonly length: number };
  const prototype = (type as { readonly prototype: object }).prototype;
  // Set with `emitDecoratorMetadata`. If a parameter has a default, or takes all remaining arguments, `length` is less.
  const parameters: unknown = Reflect.getMetadata('design:paramtypes', prototype, name);
  if (!Array.isArray(parameters) || parameters.length !== length) return undefined;
  const absent = plan.key.positions.find((position) => position >= length);
  if (absent === undefined) return undefined;
  const last = length - 1;
  const there = last < 0 ? 'it has none' : last === 0 ? '<0> is its only one' : `its arguments are <0> to <${last}>`;
  return mistake('REDLOCK_E07', `<${absent}> reads an argument that this method does not have: ${there}`);
}

/** The metadata keys of Nest that say what the parameters of a method are, and whether Nest answers although one of them is the response. */
const PARAMETERS = '__routeArguments__';
const ANSWERS_ALL_THE_SAME = '__responsePassthrough__';
/** Matches `@Res()` and `@Next()` by the numbers that they have there. */
const RESPONSE = /^[12]:/;
/** The modes in which the method does not run for every call, although each call has a response of its own. */
const WITHOUT_CALLS: readonly string[] = ['skip', 'join'];

/** Returns the error for a method that answers its calls itself but does not run for all of them, so that some clients would wait for ever. */
function responseMistake({ plan, name, type }: LockedMethod): TypeError | undefined {
  const { onContended } = plan;
  if (!WITHOUT_CALLS.includes(onContended) || !answersItself(name, type)) return undefined;
  return mistake(
    'REDLOCK_E08',
    `onContended: '${onContended}' leaves clients without an answer if the method answers by @Res() or @Next() itself: ` +
      "return the answer, write @Res({ passthrough: true }), or use 'wait' or 'reject'",
  );
}

/** Returns whether a method answers by `@Res()` or `@Next()`. */
export function answersItself(name: string | symbol, type: object): boolean {
  const parameters = (Reflect.getMetadata(PARAMETERS, type, name) ?? {}) as object;
  return (
    Object.keys(parameters).some((parameter) => RESPONSE.test(parameter)) &&
    Reflect.getMetadata(ANSWERS_ALL_THE_SAME, type, name) !== true
  );
}
