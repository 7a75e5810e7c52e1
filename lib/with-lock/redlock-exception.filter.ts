import { Catch, Inject, Logger, Optional, type ArgumentsHost, type ExceptionFilter, type Type } from '@nestjs/common';
import { ApplicationConfig, BaseExceptionFilter } from '@nestjs/core';
import { RedlockError } from '../core/api/errors.js';
import { getRedlockToken } from '../redlock.tokens.js';
import type { ExceptionFactory } from './reply/exception-factory.js';
import { toHttpException, type HttpResponse } from './transport/http-errors.js';
import { logKeyError } from './key/key-error-log.js';
import { toLockException } from './reply/lock-exception.js';
import { answerMessage } from './reply/message-filter.js';
import { replyTo } from './reply/replies.js';

/** What makes exceptions for a pool: its service, or what a test puts in its place. */
interface Source {
  readonly exceptionFactory?: ExceptionFactory | undefined;
}

/**
 * Answers where the error of a lock leaves a handler that is not locked itself, as from a locked method of a service: with 409,
 * 503 or 400, or their equivalents in GraphQL, microservices and WebSockets. The module registers it behind the filters of the
 * application; gateways, and microservices that do not inherit those, take it by `@UseFilters(RedlockExceptionFilter)`.
 */
@Catch(RedlockError)
export class RedlockExceptionFilter extends BaseExceptionFilter implements ExceptionFilter {
  readonly #logger = new Logger(RedlockExceptionFilter.name);

  constructor(@Optional() @Inject(getRedlockToken()) private readonly source?: Source) {
    super();
  }

  override catch(exception: RedlockError, host: ArgumentsHost): unknown {
    logKeyError(exception);
    const made = this.source?.exceptionFactory?.(exception, host);
    const error = made ?? exception;
    const type: string = host.getType();
    if (type === 'http')
      return super.catch(toHttpException(error, host.switchToHttp().getResponse<HttpResponse>()), host);
    if (type === 'graphql') return asResult(toLockException(error));
    if (type !== 'rpc' && type !== 'ws') return undefined;
    // Where it was an event, nobody else is told.
    const reply = type === 'rpc' ? replyTo(error) : undefined;
    if (reply) this.#logger.warn(reply.code === 'LOCK_KEY' ? reply.message : exception.message);
    return answerMessage(error, host);
  }
}

/** The one that holds for the whole application. */
export class GlobalRedlockExceptionFilter extends RedlockExceptionFilter {
  constructor(@Inject(ApplicationConfig) config: ApplicationConfig, @Inject(getRedlockToken()) source?: Source) {
    super(source);
    const filters = config.getGlobalFilters();
    const others = filters.filter((filter) => filter instanceof GlobalRedlockExceptionFilter).length;
    // Nest asks the first filter last, and of those of several pools the one that makes exceptions is to be asked.
    filters.splice(source?.exceptionFactory ? others : 0, 0, this);
  }
}

/** The one that the pool with this name puts there. */
export function globalFilterFor(pool: string | undefined): Type<GlobalRedlockExceptionFilter> {
  if (pool === undefined) return GlobalRedlockExceptionFilter;
  class NamedRedlockExceptionFilter extends GlobalRedlockExceptionFilter {
    constructor(@Inject(ApplicationConfig) config: ApplicationConfig, @Inject(getRedlockToken(pool)) source?: Source) {
      super(config, source);
    }
  }
  return NamedRedlockExceptionFilter;
}

/** For a resolver an error that it returns is one that it throws, only without a line in the log. */
function asResult(error: unknown): Error {
  if (error instanceof Error) return error;
  throw error;
}
