import { VersioningType } from '@nestjs/common';
import type { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { HTTP, kindsOf } from '../key/key-roots.js';
import type { LockPlan } from '../run/lock-plan.js';
import { mistake } from '../../engine/codes.js';

/** The metadata keys of Nest: paths of methods and controllers, versions of both, and the path that `RouterModule` gives a module. */
const PATH = 'path';
const VERSION = '__version__';
const MODULE_PATH = '__module_path__';

/** Matches what every adapter understands in the same way: text, parameters, and optional parts. */
const PLAIN = /^(?:[\w./{}-]|:[A-Za-z_]\w*(?=[/.{}-]|$))*$/;
const PATH_PARAMETERS = /:(\w+)/g;

/** Where an application serves its methods, which is known once the application is set up, but not when its providers are made. */
export interface Site {
  readonly modules: ModulesContainer;
  readonly config: ApplicationConfig;
}

/** A method of a class, which may have inherited it, and the plan of its lock. */
export interface LockedMethod {
  readonly plan: LockPlan;
  readonly method: object;
  /** Of the property, under which metadata is kept. A decorator may have replaced the method by a function with another name, or with none. */
  readonly name: string | symbol;
  readonly type: object;
}

/** Returns the error for a key that reads a parameter which no route of the method has; undefined if that cannot be said for sure. */
export function routeMistake(locked: LockedMethod, site: Site): TypeError | undefined {
  const { plan, method } = locked;
  const wanted = plan.key.requestParts.filter((part) => part.startsWith('params.')).map((part) => part.slice(7));
  if (wanted.length === 0 || !kindsOf(method).includes(HTTP)) return undefined;
  const pieces = piecesOf(locked, site);
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
function piecesOf({ method, type }: LockedMethod, { modules, config }: Site): unknown[] {
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
export function argumentMistake({ plan, method, name, type }: LockedMethod): TypeError | undefined {
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
export function responseMistake({ plan, name, type }: LockedMethod): TypeError | undefined {
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
