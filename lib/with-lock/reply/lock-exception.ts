import { HttpException, InternalServerErrorException, Logger } from '@nestjs/common';
import { KeyMistake } from '../key/key-mistake.js';
import { replyTo, toldOf, type Reply, type Told } from './replies.js';

/** A lock's error as a resolver throws it: GraphQL sends the message and the `extensions` of whatever is thrown. */
export class LockException extends HttpException {
  readonly extensions: Told;

  constructor(reply: Reply, cause: unknown) {
    const { error, message, code, status } = reply;
    // Without a statusCode, for which Nest's Apollo driver would put a code of its own in the place of ours.
    super({ error, message, code }, status, { cause });
    this.extensions = toldOf(reply);
  }
}

const logger = new Logger('RedlockService');

/** The GraphQL equivalent of a lock's error; any other error as it is. */
export function toLockException(error: unknown): unknown {
  if (error instanceof KeyMistake) return hidden(error);
  const reply = replyTo(error);
  return reply ? new LockException(reply, error) : error;
}

/** GraphQL would tell the client what is meant for the log, where Nest would write it. */
function hidden(cause: KeyMistake): HttpException {
  logger.error(cause);
  return new InternalServerErrorException(undefined, { cause });
}
