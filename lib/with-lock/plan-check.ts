import type { Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { LockOptions } from '../core/options.js';
import { placed } from '../placed.js';
import { refuseTwoPools } from '../pool-names.js';
import { CHECK, getRedlockToken } from '../redlock.tokens.js';
import { kindsOf, misplaced } from './handler-kind.js';
import { planOf, type LockPlan } from './lock-plan.js';

/** A `RedlockService`, or what a test puts in its place, which need not know its options. */
type Checking = { [CHECK]?(options: LockOptions, resources: number | undefined): void } | null | undefined;

/** A pool whose methods are looked at when the application starts. */
interface PoolToCheck {
  readonly name: string | undefined;
  readonly service: Checking;
}

/** Looks at the methods that lock on a pool, and whether it is the only one of its name, before its nodes are connected. */
export function planCheckFor(name: string | undefined, applies?: (modules: ModulesContainer) => boolean): Provider {
  // A pool of tests that does not apply is none.
  const token = Symbol.for(`nestjs-redlock:${applies ? 'testing-' : ''}plan-check:${name ?? ''}`);
  return {
    provide: token,
    useFactory: (modules: ModulesContainer, service: Checking) => {
      if (!applies) refuseTwoPools([...modules.values()], { name, token });
      if (applies?.(modules) !== false) checkPlans(modules, { name, service });
    },
    inject: [ModulesContainer, getRedlockToken(name)],
  };
}

/**
 * Looks at all methods of the application that lock on a pool, before anything is connected.
 * @throws TypeError, RangeError for what no call could work with, naming class and method
 */
function checkPlans(modules: ModulesContainer, pool: PoolToCheck): void {
  for (const type of classesOf(modules)) {
    for (const method of methodsOf(type)) {
      const plan = planOf(method);
      if (!plan || plan.pool !== pool.name) continue;
      checkParts(plan, method, type);
      checkOptions(plan, pool, type);
    }
  }
}

/** Each part of a request has to be there in one kind of what the method handles. */
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

/** The same error, with the method that it is about; and the class, where that has inherited it. */
function naming({ where }: Pick<LockPlan, 'where'>, type: object, error: Error): Error {
  const { name } = type as { name: string };
  const heir = where.startsWith(`@WithLock on ${name}.`) ? '' : ` (of ${name})`;
  return placed(error, `${where}${heir}`);
}

function classesOf(modules: ModulesContainer): Set<object> {
  const wrappers = [...modules.values()].flatMap(({ controllers, providers }) => [
    ...controllers.values(),
    ...providers.values(),
  ]);
  return new Set(wrappers.flatMap(({ metatype }) => (typeof metatype === 'function' ? [metatype] : [])));
}

/** Those that its objects have, also by inheritance. */
function methodsOf(type: object): object[] {
  const methods = new Map<string | symbol, unknown>();
  let prototype = (type as { prototype?: object | null }).prototype ?? null;
  while (prototype !== null && prototype !== Object.prototype) {
    for (const [name, { value }] of descriptorsOf(prototype))
      if (!methods.has(name)) methods.set(name, value as unknown);
    prototype = Object.getPrototypeOf(prototype) as object | null;
  }
  return [...methods.values()].filter((value) => typeof value === 'function');
}

function descriptorsOf(object: object): [string | symbol, PropertyDescriptor][] {
  return Reflect.ownKeys(object).map((name) => [name, Object.getOwnPropertyDescriptor(object, name)!]);
}
