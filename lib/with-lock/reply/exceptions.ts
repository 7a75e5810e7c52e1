import { type ArgumentsHost, type ExecutionContext, HttpException, InternalServerErrorException } from '@nestjs/common';
import { isLockError, type RedlockError } from '../../engine/errors.js';
import { invalidValue } from '../../engine/options.js';
import { SafeLogger } from '../../logging/safe-logger.js';
import { KeyDefinitionError } from '../key/key-roots.js';
import { detailsOf, type ErrorDetails, type ErrorReply, errorReply } from './error-reply.js';

/**
 * Returns the exception that a handler throws for a lock error, or undefined for the usual answer. `context` is an `ExecutionContext` if the lock
 * of the handler failed, and an `ArgumentsHost` if a lock inside the handler failed. Field resolvers without interceptors have no `context`.
 */
export type ExceptionFactory = (error: RedlockError, context: ExecutionContext | ArgumentsHost | undefined) => unknown;

const logger = new SafeLogger('RedlockService');

/** @throws TypeError for anything but a function */
export function checkExceptionFactory(factory: unknown, where: string): void {
  if (factory === undefined || typeof factory === 'function') return;
  throw invalidValue(
    `${where}: exceptionFactory`,
    factory,
    'a function that takes the error of a lock and makes what is thrown',
  );
}

/**
 * Returns a function that turns an error of the lock into what the handler throws: into what the factory makes or else the usual answer of the
 * transport, or into the failure of that.
 */
export function exceptionMaker(
  factory: ExceptionFactory | undefined,
  context: ArgumentsHost | undefined,
  usual: (error: unknown) => unknown,
): (error: unknown) => unknown {
  return (error) => {
    try {
      logKeyError(error);
      return usual((isLockError(error) ? factory?.(error, context) : undefined) ?? error);
    } catch (failure) {
      return failure;
    }
  };
}

/** Logs, at debug level, why the key of a client is unusable. The client does not see it. */
export function logKeyError(error: unknown): void {
  if (isLockError(error) && error.code === 'LOCK_KEY')
    logger.debug(`A call has no usable key, and is refused: ${error.message}`);
}

/** A lock's error as a resolver throws it: GraphQL sends the message and the `extensions` of every error. */
export class LockException extends HttpException {
  readonly extensions: ErrorDetails;

  constructor(reply: ErrorReply, cause: unknown) {
    const { error, message, code, status } = reply;
    // No `statusCode`: with one, Nest's Apollo driver would replace our code by its own.
    super({ error, message, code }, status, { cause });
    this.extensions = detailsOf(reply);
  }
}

/** Returns the GraphQL equivalent of a lock's error; returns any other error as it is. */
export function toLockException(error: unknown): unknown {
  if (error instanceof KeyDefinitionError) return hidden(error);
  const reply = errorReply(error);
  return reply ? new LockException(reply, error) : error;
}

/** Logs the error and hides it from the client: Nest would only log its message, but GraphQL would send it. */
function hidden(cause: KeyDefinitionError): HttpException {
  logger.error(cause);
  return new InternalServerErrorException(undefined, { cause });
}
