import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, HttpStatus, Inject } from '@nestjs/common';
import { ApplicationConfig, BaseExceptionFilter } from '@nestjs/core';
import { STATUS_CODES } from 'node:http';
import { GRAPHQL, HTTP, type HandlerKind, RPC } from '../with-lock/key/key-roots.js';
import { answerMessage, asAnswered } from '../with-lock/reply/message-filter.js';
import type { HandlerCall } from '../with-lock/transport/handler-call.js';
import { exceptionOf } from './failure.js';
import { grouped } from './http-headers.js';
import type { HttpAnswers, HttpReply } from './http-way.js';
import { IdempotencyError, type IdempotencyErrorCode } from './idempotency.errors.js';

const STATUS: Readonly<Record<IdempotencyErrorCode, HttpStatus>> = {
  IDEMPOTENCY_IN_PROGRESS: HttpStatus.CONFLICT,
  IDEMPOTENCY_KEY_REUSED: HttpStatus.UNPROCESSABLE_ENTITY,
  IDEMPOTENCY_KEY_MISSING: HttpStatus.BAD_REQUEST,
  IDEMPOTENCY_KEY_INVALID: HttpStatus.BAD_REQUEST,
  IDEMPOTENCY_OUTCOME_UNKNOWN: HttpStatus.CONFLICT,
  IDEMPOTENCY_REPLY_NOT_KEPT: HttpStatus.CONFLICT,
  IDEMPOTENCY_REPLY_UNREADABLE: HttpStatus.INTERNAL_SERVER_ERROR,
  IDEMPOTENCY_STORE_UNAVAILABLE: HttpStatus.SERVICE_UNAVAILABLE,
  IDEMPOTENCY_SUPERSEDED: HttpStatus.CONFLICT,
};

/** Where an HTTP handler answers. */
export interface HttpPlace {
  readonly response: HttpReply;
  readonly adapter: HttpAnswers;
  /** The address of a page for clients. */
  readonly docs: string | undefined;
}

/** Returns the HTTP equivalent of a refusal, and sets the headers that belong to it. */
export function toHttpRefusal(error: IdempotencyError, { response, adapter, docs }: HttpPlace): HttpException {
  const { code, message } = error;
  const status = STATUS[code];
  if (!adapter.isHeadersSent(response)) {
    const set = (name: string, value: string | string[]): unknown => adapter.setHeader(response, name, value);
    if (error.retryAfter !== undefined) set('Retry-After', String(Math.max(1, Math.ceil(error.retryAfter / 1_000))));
    const location = grouped(error.headers).get('location');
    if (location !== undefined) set('Location', location);
    if (docs !== undefined && status === HttpStatus.BAD_REQUEST) set('Link', `<${docs}>; rel="describedby"`);
  }
  return exceptionOf(status, { statusCode: status, error: STATUS_CODES[status], message, code }, error);
}

/** A refusal as a resolver throws it: GraphQL sends the message and the `extensions` of every error. */
class IdempotencyException extends HttpException {
  readonly extensions: object;

  constructor(cause: IdempotencyError) {
    const { code, message } = cause;
    const status = STATUS[code];
    // No `statusCode`: with one, Nest's Apollo driver would replace our code by its own.
    super({ error: STATUS_CODES[status], message, code }, status, { cause });
    this.extensions = detailsOf(cause);
  }
}

/** Returns what a handler throws for a refusal, or for an error of the lock; any other error as it is. */
export function toRefusal(error: unknown, call: HandlerCall, http: HttpPlace | undefined): unknown {
  if (!(error instanceof IdempotencyError)) return call.toException(error);
  if (call.kind === HTTP) return http ? toHttpRefusal(error, http) : error;
  if (call.kind === GRAPHQL) return new IdempotencyException(error);
  // The sender of an event gets no answer: the error is for the transport, which may deliver the event again.
  return isEvent(call) ? error : asAnswered(error, answerOf(error));
}

/** Returns whether a handler is called for an event of a microservice. */
export function isEvent({
  kind,
  isAnswered,
}: { readonly kind: HandlerKind } & Pick<HandlerCall, 'isAnswered'>): boolean {
  return kind === RPC && isAnswered === undefined;
}

/** Returns the answer for the sender of a message. */
function answerOf(error: IdempotencyError): object {
  return { status: 'error', message: error.message, ...detailsOf(error) };
}

function detailsOf({ code, retryAfter }: IdempotencyError): object {
  return { code, ...(retryAfter !== undefined && { retryAfter: Math.ceil(retryAfter) }) };
}

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
    const response = host.switchToHttp().getResponse<HttpReply | undefined>();
    // Nest reports the type 'http' for every call that somebody runs through it without naming a type, and throws the error itself.
    if (typeof response?.getHeaders !== 'function') return undefined;
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
