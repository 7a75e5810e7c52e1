import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Optional, type Type } from '@nestjs/common';
import { ApplicationConfig, BaseExceptionFilter } from '@nestjs/core';
import { RedlockError } from '../engine/errors.js';
import { getRedlockToken } from '../redlock.tokens.js';
import { type ExceptionFactory, logKeyError, toLockException } from './reply/exceptions.js';
import { type HttpResponse, toHttpException } from './transport/handler-call.js';
import { answerMessage } from './reply/message-filter.js';
import { errorReply } from './reply/error-reply.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { coded } from '../engine/codes.js';

/** Makes the exceptions of a pool: its service, or a test double of it. */
interface Source {
  readonly exceptionFactory?: ExceptionFactory | undefined;
}

/**
 * Answers lock errors that leave a handler: 409, 503 or 400, or the equivalent of another transport. They come from locks that a handler or a
 * provider takes: over HTTP, `@WithLock` on the handler throws an exception of Nest itself. The module registers this filter, and your own filters
 * run first. Gateways, and microservices that do not inherit the filters of the application, need
 * `@UseFilters(RedlockExceptionFilter)`.
 */
@Catch(RedlockError)
export class RedlockExceptionFilter extends BaseExceptionFilter implements ExceptionFilter {
  readonly #logger = new SafeLogger(RedlockExceptionFilter.name);

  constructor(@Optional() @Inject(getRedlockToken()) private readonly source?: Source) {
    super();
  }

  /** Answers the error. Nest calls this method. */
  override catch(exception: RedlockError, host: ArgumentsHost): unknown {
    const type: string = host.getType();
    // Nest throws the error itself if a filter returns nothing.
    if (type === 'http' && !hasResponse(host)) return undefined;
    logKeyError(exception);
    const made = this.source?.exceptionFactory?.(exception, host);
    const error = made ?? exception;
    if (type === 'http')
      return super.catch(toHttpException(error, host.switchToHttp().getResponse<HttpResponse>()), host);
    if (type === 'graphql') return asResult(toLockException(error));
    if (type !== 'rpc' && type !== 'ws') return undefined;
    // If the message was an event, nobody gets the answer, so the log has to say it.
    const reply = type === 'rpc' ? errorReply(error) : undefined;
    if (reply) this.#logger.warn(coded('REDLOCK_W12', reply.code === 'LOCK_KEY' ? reply.message : exception.message));
    return answerMessage(error, host);
  }
}

/** The filter that holds for the whole application. */
export class GlobalRedlockExceptionFilter extends RedlockExceptionFilter {
  constructor(@Inject(ApplicationConfig) config: ApplicationConfig, @Inject(getRedlockToken()) source?: Source) {
    super(source);
    const filters = config.getGlobalFilters();
    const others = filters.filter((filter) => filter instanceof GlobalRedlockExceptionFilter).length;
    // Nest asks the first filter last. With several pools, a filter that makes exceptions has to be asked before the others.
    filters.splice(source?.exceptionFactory ? others : 0, 0, this);
  }
}

/** Returns the global filter that the pool with this name registers. */
export function globalFilterFor(pool: string | undefined): Type<GlobalRedlockExceptionFilter> {
  if (pool === undefined) return GlobalRedlockExceptionFilter;
  class NamedRedlockExceptionFilter extends GlobalRedlockExceptionFilter {
    constructor(@Inject(ApplicationConfig) config: ApplicationConfig, @Inject(getRedlockToken(pool)) source?: Source) {
      super(config, source);
    }
  }
  return NamedRedlockExceptionFilter;
}

/** Returns whether there is somebody to answer: Nest reports the type 'http' for every call that somebody runs through it without naming a type. */
function hasResponse(host: ArgumentsHost): boolean {
  const response = host.switchToHttp().getResponse<{ header?: unknown; setHeader?: unknown } | undefined>();
  // A middleware on Fastify has Node's own response, which has no `header`.
  return typeof (response?.header ?? response?.setHeader) === 'function';
}

/** Returns the error. For a resolver it makes no difference whether an error is returned or thrown, but only a thrown one is logged. */
function asResult(error: unknown): Error {
  if (error instanceof Error) return error;
  throw error;
}
