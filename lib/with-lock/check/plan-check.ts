import type { OnModuleInit, Provider } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import type { LockOptions } from '../../engine/options.js';
import { located } from '../../start-up/error-location.js';
import { secondsIn } from '../../start-up/node-warnings.js';
import { refuseTwoPools } from '../../start-up/pool-names.js';
import { CHECK, getRedlockToken } from '../../redlock.tokens.js';
import { kindsOf, misplaced } from '../key/key-roots.js';
import { mistake as mistakeOf } from '../../engine/codes.js';
import { SafeLogger } from '../../logging/safe-logger.js';
import { type LockPlan, planOf } from '../run/lock-plan.js';
import { argumentMistake, type LockedMethod, responseMistake, routeMistake, type Site } from './method-checks.js';

/** A `RedlockService`, or a test double of it, which need not have this method. */
type Checking = { [CHECK]?(options: LockOptions, resources: number | undefined): void } | null | undefined;

/** How an application is set up; an application that serves nothing has no adapter. */
type Application = [ApplicationConfig, Partial<HttpAdapterHost>];

/** A pool whose methods are checked when the application starts. */
interface PoolToCheck {
  readonly name: string | undefined;
  readonly service: Checking;
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
      checkPlans(modules, { name, service });
      if (!applies) warnOfSeconds(modules, name);
      // Without an adapter there are no routes: a script that only loads the modules of an application does not know the global prefix.
      return { onModuleInit: () => host.httpAdapter && checkRoutes({ modules, config }, name) } satisfies OnModuleInit;
    },
    inject: [ModulesContainer, getRedlockToken(name), ApplicationConfig, HttpAdapterHost],
  };
}

/**
 * Checks all methods of the application that lock on a pool, before anything is connected.
 * @throws TypeError, RangeError for what no call could work with, naming class and method
 */
function checkPlans(modules: ModulesContainer, pool: PoolToCheck): void {
  const limits = new Map<string, LockPlan>();
  for (const locked of lockedMethods(classesOf(modules), pool.name)) {
    const { plan, method, type } = locked;
    refuseTwoLimits(plan, limits);
    checkParts(plan, method, type);
    const mistake = argumentMistake(locked) ?? responseMistake(locked);
    if (mistake) throw naming(plan, type, mistake);
    checkOptions(plan, pool, type);
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
  throw mistakeOf(
    'REDLOCK_E15',
    `${plan.where} has limit: ${two}, and ${other.where} has limit: ${one}, for the key '${template}'. They do not exclude each other: ` +
      'give both the same limit, or different keys',
  );
}

/** Warns of durations that look like seconds. */
function warnOfSeconds(modules: ModulesContainer, pool: string | undefined): void {
  const logger = new SafeLogger('RedlockModule');
  for (const { plan } of lockedMethods(classesOf(modules), pool)) {
    for (const warning of secondsIn(plan.options, plan.where)) logger.warn(warning);
  }
}

/** @throws TypeError for a key that reads a parameter which no route has, naming class and method */
function checkRoutes(site: Site, pool: string | undefined): void {
  const controllers = [...site.modules.values()].flatMap((module) => [...module.controllers.values()]);
  for (const locked of lockedMethods(typesOf(controllers), pool)) {
    const mistake = routeMistake(locked, site);
    if (mistake) throw naming(locked.plan, locked.type, mistake);
  }
}

/** Checks that each part of a request that the key reads exists in at least one kind of request that the method handles. */
function checkParts(plan: LockPlan, method: object, type: object): void {
  const kinds = kindsOf(method);
  const part = plan.key.requestParts.find((one) => !kinds.some(({ roots }) => roots.includes(one.split('.')[0]!)));
  if (part !== undefined) throw naming(plan, type, misplaced(part, kinds[0]));
}

function checkOptions({ key, options, ...plan }: LockPlan, { service }: PoolToCheck, type: object): void {
  try {
    service?.[CHECK]?.(options, key.count);
  } catch (error) {
    throw naming(plan, type, error as Error);
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
    for (const [name, { value }] of descriptorsOf(prototype))
      if (!members.has(name)) members.set(name, value as unknown);
    prototype = Object.getPrototypeOf(prototype) as object | null;
  }
  return members;
}

function descriptorsOf(object: object): [string | symbol, PropertyDescriptor][] {
  return Reflect.ownKeys(object).map((name) => [name, Object.getOwnPropertyDescriptor(object, name)!]);
}
