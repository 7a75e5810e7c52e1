import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { ApplicationConfig, BaseExceptionFilter } from '@nestjs/core';
import { answerMessage, asAnswered } from '../with-lock/reply/message-filter.js';
import type { HttpReply } from './http-way.js';
import { IdempotencyError } from './idempotency.errors.js';
import { answerOf, IdempotencyException, toHttpRefusal } from './refusal.js';

/**
 * Answers each `IdempotencyError` that leaves a handler. The module registers this filter, and your own filters run first. Gateways, and
 * microservices that do not inherit the filters of the application, need `@UseFilters(IdempotencyExceptionFilter)`.
 */
@Catch(IdempotencyError)
export class IdempotencyExceptionFilter extends BaseExceptionFilter implements ExceptionFilter {
  /** Answers the error. Nest calls this method. */
  override catch(error: IdempotencyError, host: ArgumentsHost): unknown {
    const type: string = host.getType();
    if (type === 'graphql') return new IdempotencyException(error);
    if (type === 'rpc' || type === 'ws') return answerMessage(asAnswered(error, answerOf(error)), host);
    const adapter = this.httpAdapterHost?.httpAdapter;
    if (type !== 'http' || !adapter) return undefined;
    const response = host.switchToHttp().getResponse<HttpReply>();
    return super.catch(toHttpRefusal(error, { response, adapter, docs: undefined }), host);
  }
}

/** The filter that holds for the whole application. */
export class GlobalIdempotencyExceptionFilter extends IdempotencyExceptionFilter {
  constructor(@Inject(ApplicationConfig) config: ApplicationConfig) {
    super();
    const filters = config.getGlobalFilters();
    // Nest asks the first filter last.
    if (!filters.some((filter) => filter instanceof GlobalIdempotencyExceptionFilter)) filters.unshift(this);
  }
}
