import * as nest from '@nestjs/common';
import { isLockError } from '../engine/errors.js';
import { IdempotencyError } from './idempotency.errors.js';
import type { Outcome } from './outcome.js';

type ExceptionClass = new (body?: object, options?: nest.HttpExceptionOptions) => nest.HttpException;

/** Nest's own class for each status: filters of the application may be for such a class only. */
const CLASSES: ReadonlyMap<number, ExceptionClass> = new Map(
  Object.values(nest as Record<string, unknown>)
    .filter(isExceptionClass)
    .map((Class) => [new Class().getStatus(), Class]),
);

function isExceptionClass(value: unknown): value is ExceptionClass {
  return typeof value === 'function' && value.prototype instanceof nest.HttpException;
}

/** Returns Nest's exception of a status, with exactly this response. */
export function exceptionOf(status: number, response: unknown, cause?: unknown): nest.HttpException {
  const options = cause === undefined ? {} : { cause };
  const Class = CLASSES.get(status);
  // The classes would put any other response into a body of their own.
  const isBody = typeof response === 'object' && response !== null && !Array.isArray(response);
  return Class && isBody ? new Class(response, options) : new nest.HttpException(response as string, status, options);
}

/** Recognises exceptions of any copy of Nest. */
export function isHttpException(error: unknown): error is nest.HttpException {
  const { getStatus, getResponse } = (error ?? {}) as Partial<nest.HttpException>;
  return error instanceof Error && typeof getStatus === 'function' && typeof getResponse === 'function';
}

/** Statuses that say "try again", which a kept error would make a lie. */
const PASSING: readonly number[] = [408, 425, 429];

/** Returns what is kept of an error if the options want it; undefined for all that is not kept. */
export function keptError(error: unknown, keeps: (error: nest.HttpException) => boolean): Outcome | undefined {
  if (!isHttpException(error) || isOurs(error) || !keeps(error)) return undefined;
  try {
    const response = JSON.parse(JSON.stringify(error.getResponse())) as unknown;
    return { kind: 'error', status: error.getStatus(), response };
  } catch {
    return undefined;
  }
}

/** Recognises what a lock or another call has refused: the next request may well succeed. */
function isOurs({ cause }: Error): boolean {
  return isLockError(cause) || cause instanceof IdempotencyError;
}

export function isClientError(error: nest.HttpException): boolean {
  const status = error.getStatus();
  return status >= 400 && status < 500 && !PASSING.includes(status);
}
