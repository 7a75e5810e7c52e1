import { HttpException, InternalServerErrorException, Logger } from '@nestjs/common';
import { KeyMistake } from '../key/key-mistake.js';
import { replyTo, toldOf, type Reply, type Told } from './replies.js';

/** A lock's error as a resolver throws it: GraphQL sends the message and the `extensions` of every error. */
export class LockException extends HttpException {
  readonly extensions: Told;

  constructor(reply: Reply, cause: unknown) {
    const { error, message, code, status } = reply;
    // No `statusCode`: with one, Nest's Apollo driver would replace our code by its own.
    super({ error, message, code }, status, { cause });
    this.extensions = toldOf(reply);
  }
}

const logger = new Logger('RedlockService');

/** Returns the GraphQL equivalent of a lock's error; returns any other error as it is. */
export function toLockException(error: unknown): unknown {
  if (error instanceof KeyMistake) return hidden(error);
  const reply = replyTo(error);
  return reply ? new LockException(reply, error) : error;
}

/** Logs a mistake and hides it from the client: Nest would only log its message, but GraphQL would send it. */
function hidden(cause: KeyMistake): HttpException {
  logger.error(cause);
  return new InternalServerErrorException(undefined, { cause });
}
