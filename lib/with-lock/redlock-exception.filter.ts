import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { ApplicationConfig, BaseExceptionFilter } from '@nestjs/core';
import { RedlockError } from '../core/errors.js';
import type { HttpResponse } from './disconnect.js';
import { toHttpException } from './http-errors.js';

/**
 * Answers 409, 503 or 400 where a lock's error leaves a handler, as from a locked method of a service that the handler
 * calls. Every filter of the application comes before it.
 */
@Catch(RedlockError)
export class RedlockExceptionFilter extends BaseExceptionFilter implements ExceptionFilter {
  constructor(@Inject(ApplicationConfig) config: ApplicationConfig) {
    super();
    // Nest asks the first filter last.
    config.getGlobalFilters().unshift(this);
  }

  override catch(exception: RedlockError, host: ArgumentsHost): void {
    if (host.getType() === 'ws') return sendToSocket(exception, host);
    // Returning nothing leaves the error to Nest's own handling.
    if (host.getType() !== 'http') return;
    super.catch(toHttpException(exception, host.switchToHttp().getResponse<HttpResponse>()), host);
  }
}

/** What Nest does with an unknown error on a socket: a filter that matches is the last to see it there. */
function sendToSocket({ code }: RedlockError, host: ArgumentsHost): void {
  const client = host
    .switchToWs()
    .getClient<{ emit(event: string, data: object): void; send(data: string): void; readyState?: number }>();
  const data = { status: 'error', message: 'Internal server error', code };
  if (client.readyState === undefined) client.emit('exception', data);
  else client.send(JSON.stringify({ event: 'exception', data }));
}
