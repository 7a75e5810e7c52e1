import type { ArgumentsHost, ExecutionContext } from '@nestjs/common';
import { RedlockError } from '../../core/api/errors.js';
import { misfit } from '../../core/api/options.js';
import { replyTo } from './replies.js';

/**
 * Makes what a handler throws instead of a lock's error; returns undefined for the usual answer.
 * @param context of the handler, if the error comes from its lock; of the call only (`ArgumentsHost`), if the error comes from a lock further
 * in and leaves a handler; undefined for a field resolver that Nest runs without interceptors
 */
export type ExceptionFactory = (error: RedlockError, context: ExecutionContext | ArgumentsHost | undefined) => unknown;

/** @throws TypeError for anything but a function */
export function checkExceptionFactory(factory: unknown, where: string): void {
  if (factory === undefined || typeof factory === 'function') return;
  throw misfit(
    `${where}: exceptionFactory`,
    factory,
    'a function that takes the error of a lock and makes what is thrown',
  );
}

/** Returns what a factory makes of a lock's error; undefined for any other error, and if there is no factory. */
export function makeException(
  factory: ExceptionFactory | undefined,
  error: unknown,
  context: ArgumentsHost | undefined,
): unknown {
  if (!factory || !(error instanceof RedlockError || replyTo(error))) return undefined;
  return factory(error as RedlockError, context);
}
