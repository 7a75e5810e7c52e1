import { HttpException, InternalServerErrorException } from '@nestjs/common';
import { KeyDefinitionError } from '../key/key-definition-error.js';
import { detailsOf, errorReply, type ErrorDetails, type ErrorReply } from './error-reply.js';
import { SafeLogger } from '../../logging/safe-logger.js';

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

const logger = new SafeLogger('RedlockService');

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
