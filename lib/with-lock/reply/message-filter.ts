import 'reflect-metadata';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';
import { detailsOf, errorReply } from './error-reply.js';

/** The metadata key of a class's filters in Nest. Set directly, because `UseFilters` would put our filter behind those of a base class. */
const FILTERS = '__exceptionFilters__';
const MESSAGE = Symbol.for('nestjs-redlock:message');

interface Socket {
  readonly readyState?: unknown;
  emit(event: string, data: object): void;
  send(data: string): void;
}

/** Any error of a lock that leaves a handler of messages, recognised by its mark and not by its class. */
const MessageError = Object.defineProperty(class extends Error {}, Symbol.hasInstance, { value: isMessageError });

/**
 * Answers messages of microservices and sockets whose handler fails because of a lock. Nest has no filter for all sockets, and the filters of
 * the application need not hold for a microservice. So this filter is put on the class, behind all filters that are already there.
 */
@Catch(MessageError)
export class MessageFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): Observable<never> | undefined {
    return answerMessage(error, host);
  }
}

export function isMessageError(error: unknown): boolean {
  return error instanceof Error && MESSAGE in error;
}

/** Marks a lock's error and returns the same object: filters of the application still know it, and our filter answers it if they do not. */
export function asMessageError(error: unknown): unknown {
  const isOurs = errorReply(error) !== undefined && !isMessageError(error);
  return isOurs ? Object.defineProperty(error as object, MESSAGE, { value: true }) : error;
}

/** Marks an error and the answer for its sender, and returns the same object: filters of the application still know it. */
export function asAnswered(error: Error, answer: object): Error {
  if (isMessageError(error)) return error;
  return Object.defineProperties(error, { [MESSAGE]: { value: true }, getError: { value: () => answer } });
}

export function addMessageFilter(owner: object): void {
  const filters = (Reflect.getMetadata(FILTERS, owner) ?? []) as readonly unknown[];
  if (filters.some((filter) => filter instanceof MessageFilter)) return;
  Reflect.defineMetadata(FILTERS, [new MessageFilter(), ...filters], owner);
}

/** Answers the sender of a message; for a microservice it returns the answer, or undefined if it leaves the answer to Nest. */
export function answerMessage(error: unknown, host: ArgumentsHost): Observable<never> | undefined {
  const reply = messageFor(error);
  if (host.getType() === 'rpc') return reply && throwError(() => reply);
  send(host.switchToWs().getClient<Socket>(), reply ?? { status: 'error', message: 'Internal server error' });
  return undefined;
}

/** Returns the message for the sender: the reply to a lock's error, or what `getError` of an `RpcException` or a `WsException` says. */
function messageFor(error: unknown): object | undefined {
  const reply = errorReply(error);
  if (reply) return { status: 'error', message: reply.message, ...detailsOf(reply) };
  const { getError } = (error ?? {}) as { getError?: () => unknown };
  if (typeof getError !== 'function') return undefined;
  const said = getError.call(error);
  return typeof said === 'object' && said !== null ? said : { status: 'error', message: said };
}

/** Sends data as Nest does: a socket of the `ws` package has a number for its state. */
function send(socket: Socket, data: object): void {
  if (typeof socket.readyState === 'number') socket.send(JSON.stringify({ event: 'exception', data }));
  else socket.emit('exception', data);
}
