import 'reflect-metadata';
import { createParamDecorator } from '@nestjs/common';
import { lockCalls } from './run/lock-call.js';
import { mistake } from '../engine/codes.js';

const LOCK_PARAMETER = Symbol.for('nestjs-redlock:lock-parameter');

/** Passes the `Lock` of the call to a parameter of a method with `@WithLock`. @throws TypeError on a parameter of a constructor */
export function CurrentLock(): ParameterDecorator {
  return (target, name, index) => {
    if (name === undefined)
      throw mistake('REDLOCK_E08', '@CurrentLock() is for parameters of methods, not of constructors');
    createParamDecorator(() => lockCalls.getStore()?.lock)()(target, name, index);
    Reflect.defineMetadata(LOCK_PARAMETER, index, target, name);
  };
}

/**
 * Returns the index of the parameter with `@CurrentLock()`. A method that overrides this one has parameters of its own, so
 * only own metadata counts.
 */
export function lockParameterOf(target: object, name: string | symbol): number | undefined {
  return Reflect.getOwnMetadata(LOCK_PARAMETER, target, name) as number | undefined;
}
