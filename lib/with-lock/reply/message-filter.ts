import 'reflect-metadata';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';
import { replyTo, toldOf } from './replies.js';

/** Where Nest keeps the filters of a class; `UseFilters` would put ours behind those of a base class. */
const FILTERS = '__exceptionFilters__';
const MESSAGE = Symbol.for('nestjs-redlock:message');

interface Socket {
  readonly readyState?: unknown;
  emit(event: string, data: object): void;
  send(data: string): void;
}

/** Any error of a lock that leaves a handler of messages: told by its mark, whatever its class. */
const MessageError = Object.defineProperty(class extends Error {}, Symbol.hasInstance, { value: isMessageError });

/**
 * Answers messages of microservices and sockets whose handler fails by a lock. Nest has no filter for all sockets, and those of
 * the application need not hold for a microservice: it is put on the class, behind whatever filters stand there.
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

/** The very error, so that filters of the application know it; answered by ours where they do not. */
export function asMessageError(error: unknown): unknown {
  const isOurs = replyTo(error) !== undefined && !isMessageError(error);
  return isOurs ? Object.defineProperty(error as object, MESSAGE, { value: true }) : error;
}

export function addMessageFilter(owner: object): void {
  const filters = (Reflect.getMetadata(FILTERS, owner) ?? []) as readonly unknown[];
  if (filters.some((filter) => filter instanceof MessageFilter)) return;
  Reflect.defineMetadata(FILTERS, [new MessageFilter(), ...filters], owner);
}

/** Tells the sender of a message; undefined where that is left to Nest. */
export function answerMessage(error: unknown, host: ArgumentsHost): Observable<never> | undefined {
  const told = toldIn(error);
  if (host.getType() === 'rpc') return told && throwError(() => told);
  send(host.switchToWs().getClient<Socket>(), told ?? { status: 'error', message: 'Internal server error' });
  return undefined;
}

/** By `getError` where it is an `RpcException` or a `WsException`. */
function toldIn(error: unknown): object | undefined {
  const reply = replyTo(error);
  if (reply) return { status: 'error', message: reply.message, ...toldOf(reply) };
  const { getError } = (error ?? {}) as { getError?: () => unknown };
  if (typeof getError !== 'function') return undefined;
  const said = getError.call(error);
  return typeof said === 'object' && said !== null ? said : { status: 'error', message: said };
}

/** As Nest does it: a socket of the `ws` package has a number for its state. */
function send(socket: Socket, data: object): void {
  if (typeof socket.readyState === 'number') socket.send(JSON.stringify({ event: 'exception', data }));
  else socket.emit('exception', data);
}
