import { type ExecutionContext, HttpException, HttpStatus } from '@nestjs/common';
import { EventEmitter } from 'node:events';
import { ServerResponse } from 'node:http';
import type { Client } from './wait-cancellation.js';
import { GRAPHQL, type HandlerKind, HTTP, RPC, WS } from '../key/key-roots.js';
import { errorReply } from '../reply/error-reply.js';
import { toLockException } from '../reply/exceptions.js';
import { asMessageError, isMessageError } from '../reply/message-filter.js';

/** What a handler is called for, as far as its lock needs to know. */
export interface HandlerCall {
  readonly kind: HandlerKind;
  /** The object that keys are read from. */
  readonly request: object;
  /** The client, if the transport reports when it goes away, which ends the wait for the lock. */
  readonly client: Client | undefined;
  /** Returns what the handler throws for an error of its lock. */
  toException(error: unknown): unknown;
  /**
   * Returns whether an error that leaves the handler comes from `toException`; defined only if no filter of the application
   * converts errors of locks.
   */
  readonly isAnswered?: (error: unknown) => boolean;
}

type Properties = Record<string, unknown>;

/** The metadata of Nest's `@EventPattern`. */
const HANDLER_TYPE = 'microservices:handler_type';
const EVENT = 2;

const MESSAGES = { toException: asMessageError, isAnswered: isMessageError };
const AS_IT_IS = { toException: (error: unknown): unknown => error };

/** Returns what a handler is called for; undefined for an unknown kind of handler, whose method takes the lock by its arguments. */
export function handlerCallOf(context: ExecutionContext): HandlerCall | undefined {
  switch (context.getType<string>()) {
    case 'http':
      return ofHttp(context);
    case 'graphql':
      return ofGraphql(context.getArgs());
    case 'rpc':
      return ofRpc(context);
    case 'ws':
      return ofWs(context);
    default:
      return undefined;
  }
}

function ofHttp(context: ExecutionContext): HandlerCall | undefined {
  // This runs with every request, so it makes as few objects as possible.
  const [request, response] = context.getArgs<[object, HttpResponse]>();
  // Nest reports the type 'http' for every call that somebody runs through it without naming a type.
  if (typeof inside(response)['header'] !== 'function') return undefined;
  return {
    kind: HTTP,
    request,
    client: clientIn(rawOf(response)),
    toException: (error) => toHttpException(error, response),
  };
}

/** Reads `[parent, args, context, info]`; a method that resolves a reference has no args. */
function ofGraphql(all: unknown[]): HandlerCall {
  const [parent, args, context] = all.length === 3 ? [all[0], undefined, all[1]] : all;
  const { req, res, user, extra } = inside(context);
  const request = inside(req);
  // A subscription comes over a WebSocket, whose request and socket graphql-ws keeps in `extra`.
  const around = inside(extra ?? request['extra']);
  const response = res ?? request['res'];
  return {
    kind: GRAPHQL,
    request: {
      args,
      parent,
      user: request['user'] ?? user ?? around['user'],
      headers: request['headers'] ?? inside(around['request'])['headers'],
    },
    client: clientIn(response === undefined ? around['socket'] : rawOf(response as HttpResponse)),
    toException: toLockException,
  };
}

function ofRpc(context: ExecutionContext): HandlerCall {
  const rpc = context.switchToRpc();
  const message = rpc.getContext<object | undefined>();
  const isEvent = Reflect.getMetadata(HANDLER_TYPE, context.getHandler()) === EVENT;
  return {
    kind: RPC,
    request: { data: rpc.getData<unknown>(), user: inside(message)['user'] },
    // The sender of an event waits for nothing, and may disconnect at once.
    client: isEvent ? undefined : clientIn(socketOf(message)),
    // The sender of an event gets no answer: Nest writes the error to the log as it is.
    ...(isEvent ? AS_IT_IS : MESSAGES),
  };
}

/** Needs no client, because Nest itself unsubscribes when a socket disconnects. */
function ofWs(context: ExecutionContext): HandlerCall {
  const ws = context.switchToWs();
  const client = inside(ws.getClient());
  const user = inside(client['data'])['user'] ?? client['user'] ?? inside(client['request'])['user'];
  return { kind: WS, request: { data: ws.getData<unknown>(), user }, client: undefined, ...MESSAGES };
}

/** Returns the connection of the TCP transport; other transports have no connection to the client. */
function socketOf(context: object | undefined): unknown {
  const { getSocketRef } = inside(context);
  return typeof getSocketRef === 'function' ? inside(getSocketRef.call(context))['netSocket'] : undefined;
}

function inside(value: unknown): Properties {
  return typeof value === 'object' && value !== null ? (value as Properties) : {};
}

function clientIn(value: unknown): Client | undefined {
  if (value instanceof EventEmitter) return value;
  return typeof inside(value)['once'] === 'function' ? (value as Client) : undefined;
}

/** What the lock needs of a response of Express or Fastify. */
export interface HttpResponse {
  header(name: string, value: string): unknown;
  /** Node's own response, which Fastify has here; a response of Express is one itself. */
  readonly raw?: Client & { readonly headersSent?: boolean };
}

/** Returns Node's own response, below that of the framework. */
function rawOf(response: HttpResponse): NonNullable<HttpResponse['raw']> {
  // This runs with every request, and looking up a property that Node's response does not have takes long.
  if (response instanceof ServerResponse) return response;
  return response.raw ?? (response as unknown as NonNullable<HttpResponse['raw']>);
}

/** Returns the HTTP equivalent of a lock's error and sets `Retry-After` on the response; returns any other error as it is. */
export function toHttpException(error: unknown, response: HttpResponse): unknown {
  const reply = errorReply(error);
  // A lost lock is a failure of the server: Nest logs it and tells the client nothing.
  if (!reply || reply.status === HttpStatus.INTERNAL_SERVER_ERROR) return error;
  const { code, status, message, retryAfter } = reply;
  // A stream of events has sent its headers before it waits for the lock.
  if (retryAfter !== undefined && !rawOf(response).headersSent) {
    response.header('Retry-After', String(Math.max(1, Math.ceil(retryAfter / 1_000))));
  }
  return new HttpException({ statusCode: status, error: reply.error, message, code }, status, { cause: error });
}
