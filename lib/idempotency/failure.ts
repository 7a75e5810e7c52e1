import * as nest from '@nestjs/common';
import { isLockError } from '../engine/errors.js';
import { IdempotencyError } from './idempotency.errors.js';
import type { Ended } from './once-call.js';
import type { Outcome } from './record.js';

/** A stream has a second value. The reply cannot be given again. */
export class SecondValueError extends TypeError {}

/** Which errors are kept like replies. */
export type KeepsError = (error: nest.HttpException) => boolean;

/** Returns what is kept of a call that has failed. `hasRun`: whether its method had begun. */
export function endedBy(
  error: unknown,
  onInterrupted: 'rerun' | 'refuse',
  keepsError: KeepsError = () => false,
  hasRun = true,
): Ended {
  if (error instanceof SecondValueError) return { keep: { kind: 'tombstone', why: 'stream' } };
  const kept = keptError(error, keepsError);
  if (kept) return { keep: kept };
  const isKnown = onInterrupted === 'rerun' || !hasRun || (isHttpException(error) && error.getStatus() < 500);
  return { keep: isKnown ? 'nothing' : 'mark', error };
}

/** Returns what is kept of an error; undefined for all that is not kept. */
export function keptError(error: unknown, keeps: KeepsError): Outcome | undefined {
  if (!isHttpException(error) || isOurs(error) || !keeps(error)) return undefined;
  try {
    const response = JSON.parse(JSON.stringify(error.getResponse())) as unknown;
    return { kind: 'error', status: error.getStatus(), response };
  } catch {
    return undefined;
  }
}

/** Recognises the refusals of locks and other calls: the next request may well succeed. */
function isOurs({ cause }: Error): boolean {
  return isLockError(cause) || cause instanceof IdempotencyError;
}

/** Recognises exceptions of any copy of Nest. */
function isHttpException(error: unknown): error is nest.HttpException {
  const { getStatus, getResponse } = (error ?? {}) as Partial<nest.HttpException>;
  return error instanceof Error && typeof getStatus === 'function' && typeof getResponse === 'function';
}

/** Statuses that mean "try again". Keeping such an error would make it untrue. */
const PASSING: readonly number[] = [408, 425, 429];

export function isClientError(error: nest.HttpException): boolean {
  const status = error.getStatus();
  return status >= 400 && status < 500 && !PASSING.includes(status);
}

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
