import 'reflect-metadata';
import { createParamDecorator } from '@nestjs/common';
import { lockCalls } from './run/lock-call.js';

const LOCK_PARAMETER = Symbol.for('nestjs-redlock:lock-parameter');

/** The `Lock` of this call, as a parameter of a method with `@WithLock`. */
export function CurrentLock(): ParameterDecorator {
  return (target, name, index) => {
    if (name === undefined) throw new TypeError('@CurrentLock() is for parameters of methods, not of constructors');
    createParamDecorator(() => lockCalls.getStore()?.lock)()(target, name, index);
    Reflect.defineMetadata(LOCK_PARAMETER, index, target, name);
  };
}

/** Where a method wants its lock; one that overrides it has parameters of its own. */
export function lockParameterOf(target: object, name: string | symbol): number | undefined {
  return Reflect.getOwnMetadata(LOCK_PARAMETER, target, name) as number | undefined;
}
