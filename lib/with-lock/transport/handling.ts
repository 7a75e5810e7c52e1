import type { ExecutionContext } from '@nestjs/common';
import { EventEmitter } from 'node:events';
import { type Client } from './client-connection.js';
import { GRAPHQL, HTTP, RPC, WS, type HandlerKind } from '../key/handler-kind.js';
import { rawOf, toHttpException, type HttpResponse } from './http-errors.js';
import { toLockException } from '../reply/lock-exception.js';
import { asMessageError, isMessageError } from '../reply/message-filter.js';

/** What a handler is called for, as its lock sees it. */
export interface Handling {
  readonly kind: HandlerKind;
  /** What keys are made of. */
  readonly request: object;
  /** Whose going away ends the wait for the lock, where the transport tells of it. */
  readonly client: Client | undefined;
  /** What the handler throws for an error of its lock. */
  toException(error: unknown): unknown;
  /** Whether an error that leaves the handler is one of those, where no filter of the application has to do with that. */
  readonly isAnswered?: (error: unknown) => boolean;
}

type Described = Record<string, unknown>;

/** Nest's own marks of `@EventPattern`. */
const HANDLER_TYPE = 'microservices:handler_type';
const EVENT = 2;

const MESSAGES = { toException: asMessageError, isAnswered: isMessageError };
const AS_IT_IS = { toException: (error: unknown): unknown => error };

/** Undefined for a kind of handler that nobody here knows: the method locks by its arguments then. */
export function handlingOf(context: ExecutionContext): Handling | undefined {
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

function ofHttp(context: ExecutionContext): Handling | undefined {
  // With every request, so no more is made than needed.
  const [request, response] = context.getArgs<[object, HttpResponse]>();
  // Nest calls everything HTTP that somebody runs through it without saying what it is.
  if (typeof inside(response)['header'] !== 'function') return undefined;
  return {
    kind: HTTP,
    request,
    client: clientIn(rawOf(response)),
    toException: (error) => toHttpException(error, response),
  };
}

/** `[parent, args, context, info]`; what resolves a reference has no args. */
function ofGraphql(all: unknown[]): Handling {
  const [parent, args, context] = all.length === 3 ? [all[0], undefined, all[1]] : all;
  const { req, res, user, extra } = inside(context);
  const request = inside(req);
  // A subscription comes over a WebSocket, whose surroundings graphql-ws calls extra.
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

function ofRpc(context: ExecutionContext): Handling {
  const rpc = context.switchToRpc();
  const message = rpc.getContext<object | undefined>();
  const isEvent = Reflect.getMetadata(HANDLER_TYPE, context.getHandler()) === EVENT;
  return {
    kind: RPC,
    request: { data: rpc.getData<unknown>(), user: inside(message)['user'] },
    // The sender of an event waits for nothing, and may disconnect at once.
    client: isEvent ? undefined : clientIn(socketOf(message)),
    // Nobody hears of an event: Nest writes the error to the log as it is.
    ...(isEvent ? AS_IT_IS : MESSAGES),
  };
}

/** Nest itself unsubscribes when a socket disconnects. */
function ofWs(context: ExecutionContext): Handling {
  const ws = context.switchToWs();
  const client = inside(ws.getClient());
  const user = inside(client['data'])['user'] ?? client['user'] ?? inside(client['request'])['user'];
  return { kind: WS, request: { data: ws.getData<unknown>(), user }, client: undefined, ...MESSAGES };
}

/** The connection of the TCP transport; others have none to the client. */
function socketOf(context: object | undefined): unknown {
  const { getSocketRef } = inside(context);
  return typeof getSocketRef === 'function' ? inside(getSocketRef.call(context))['netSocket'] : undefined;
}

function inside(value: unknown): Described {
  return typeof value === 'object' && value !== null ? (value as Described) : {};
}

function clientIn(value: unknown): Client | undefined {
  if (value instanceof EventEmitter) return value;
  return typeof inside(value)['once'] === 'function' ? (value as Client) : undefined;
}
