import 'reflect-metadata';
import { createParamDecorator } from '@nestjs/common';
import { idempotentCalls } from './idempotent-call.js';
import { mistake } from '../engine/codes.js';

const CALL_PARAMETER = Symbol.for('nestjs-redlock:call-parameter');

/** Passes the `OnceCall` to a parameter of a method with `@Idempotent`. The parameter is undefined in a call without a key. @throws TypeError on a parameter of a constructor */
export function CurrentCall(): ParameterDecorator {
  return (target, name, index) => {
    if (name === undefined)
      throw mistake('REDLOCK_E08', '@CurrentCall() is for parameters of methods, not of constructors');
    createParamDecorator(() => idempotentCalls.getStore()?.call)()(target, name, index);
    Reflect.defineMetadata(CALL_PARAMETER, index, target, name);
  };
}

/** Returns the index of the parameter with `@CurrentCall()`; a method that overrides this one has parameters of its own. */
export function callParameterOf(target: object, name: string | symbol): number | undefined {
  return Reflect.getOwnMetadata(CALL_PARAMETER, target, name) as number | undefined;
}
