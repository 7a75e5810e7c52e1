import 'reflect-metadata';
import { createParamDecorator } from '@nestjs/common';
import { idempotentCalls } from './idempotent-call.js';

const CALL_PARAMETER = Symbol.for('nestjs-redlock:call-parameter');

/** Passes the `OnceCall` to a parameter of a method with `@Idempotent`; undefined in a call that runs without a key. */
export function CurrentCall(): ParameterDecorator {
  return (target, name, index) => {
    if (name === undefined) throw new TypeError('@CurrentCall() is for parameters of methods, not of constructors');
    createParamDecorator(() => idempotentCalls.getStore()?.call)()(target, name, index);
    Reflect.defineMetadata(CALL_PARAMETER, index, target, name);
  };
}

/** Returns the index of the parameter with `@CurrentCall()`; a method that overrides this one has parameters of its own. */
export function callParameterOf(target: object, name: string | symbol): number | undefined {
  return Reflect.getOwnMetadata(CALL_PARAMETER, target, name) as number | undefined;
}
