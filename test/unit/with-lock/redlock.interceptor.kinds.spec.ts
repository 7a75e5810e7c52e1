import 'reflect-metadata';
import { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { lastValueFrom, throwError, type Observable } from 'rxjs';
import { LockKeyError, ResourceLockedError } from '../../../lib/engine/errors.js';
import { isMessageError } from '../../../lib/with-lock/reply/message-filter.js';
import {
  answer,
  contextOf,
  DATA,
  intercept,
  rpcContext,
  StubHandlers,
  StubPool,
  type Handler,
} from '../../support/nest/stub-handlers.js';

class Response extends EventEmitter {
  header(): void {}
}

const LOCKED = new ResourceLockedError(['user:a@b'], 1_500, []);

describe('RedlockInterceptor', () => {
  const { message, event, resolver, operation, onSocket, byBody, own } = StubHandlers.prototype;
  let service: StubPool;
  const resources = (): unknown[] => service.calls.map((call) => call.resources);

  beforeEach(() => {
    service = new StubPool();
  });

  it('locks a message of a microservice by its data, and by the user that a guard put into its context', async () => {
    await expect(answer(service, rpcContext(message))).resolves.toBe('done');
    await answer(service, rpcContext(event));
    expect(resources()).toEqual([['user:a@b:5'], ['user:a@b']]);
  });

  it.each([
    ['client.data', { data: { user: { id: 1 } }, user: { id: 2 } }],
    ['the client', { user: { id: 1 }, request: { user: { id: 2 } } }],
    ['the request that it began with', { request: { user: { id: 1 } } }],
  ])('locks a message of a WebSocket by its data, and by the user of %s', async (_case, client) => {
    await answer(service, contextOf('ws', message, [client, DATA]));
    expect(resources()).toEqual([['user:a@b:1']]);
  });

  it.each([
    ['of the request', { req: { user: { id: 1 }, headers: { 'x-id': 'h' } }, user: { id: 2 } }],
    ['of the context', { req: { headers: { 'x-id': 'h' } }, user: { id: 1 } }],
    [
      'of a subscription',
      { req: { extra: { user: { id: 1 }, request: { headers: { 'x-id': 'h' } }, socket: new EventEmitter() } } },
    ],
  ])('locks a GraphQL operation by arguments, parent, headers and the user %s', async (_case, context) => {
    await answer(service, contextOf('graphql', resolver, [{ id: 'p' }, { input: DATA }, context, {}]));
    expect(resources()).toEqual([['user:a@b:p:1:h']]);
  });

  it.each<[string, Handler, (id: string) => ExecutionContextHost]>([
    ['HTTP', byBody, (id) => contextOf('http', byBody, [{ body: { email: id } }, new Response()])],
    ['GraphQL', operation, (id) => contextOf('graphql', operation, [undefined, { id }, {}, {}])],
    ['a microservice', event, (id) => contextOf('rpc', event, [{ email: id }, {}])],
    ['a WebSocket', onSocket, (id) => contextOf('ws', onSocket, [{}, { email: id }])],
  ])(
    'takes the lock of a request of %s that is handled within another one of the same handler',
    async (...[, , of]) => {
      const inner = (): Observable<unknown> => intercept(service, of('inner'));
      await lastValueFrom(intercept(service, of('outer'), inner));
      await lastValueFrom(intercept(service, of('same'), () => intercept(service, of('same'))));
      expect(resources()).toEqual([['user:outer'], ['user:inner'], ['user:same'], ['user:same']]);
    },
  );

  it('knows what resolves a reference, which has no arguments', async () => {
    const context = contextOf('graphql', resolver, [{ id: 'p' }, { req: {} }, {}]);
    await expect(answer(service, context)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('args.input.email is missing') },
    });
  });

  it.each([
    ['rpc', [DATA, {}], 'a message of a microservice: use <data...>, <user...>, or <0...>'],
    ['ws', [{}, DATA], 'a message of a WebSocket: use <data...>, <user...>, or <0...>'],
  ])('says what there is in place of the body: %s', async (type, args, there) => {
    await expect(answer(service, contextOf(type, byBody, args))).rejects.toThrow(
      expect.objectContaining({ message: expect.stringContaining(`HTTP request, and this is ${there}`) }),
    );
    expect(service.calls).toEqual([]);
  });

  it('says it in the log where it is a GraphQL operation, and not to its client', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    await expect(answer(service, contextOf('graphql', byBody, [{}, {}, {}, {}]))).rejects.toThrow(
      expect.objectContaining({ message: 'Internal Server Error' }),
    );
    expect(inspect(logged.mock.calls)).toMatch(
      /TypeError: @WithLock on StubHandlers\.byBody: .* this is a GraphQL operation: use <args\.name\.\.\.>, <parent\.\.\.>, <user/,
    );
    expect(service.calls).toEqual([]);
    logged.mockRestore();
  });

  it('hands on the very error to microservices and sockets, with a mark for the filter that answers', async () => {
    for (const context of [rpcContext(message), contextOf('ws', onSocket, [{}, DATA])]) {
      const error = new ResourceLockedError(['a'], 5, []);
      service.refusal = error;
      await expect(answer(service, context)).rejects.toBe(error);
      expect(isMessageError(error)).toBe(true);
    }
  });

  it('does so, too, with errors of the locks of others that leave the handler, but with no other error', async () => {
    const [inner, business] = [new LockKeyError('inner'), new Error('business')];
    for (const error of [inner, business]) {
      await expect(answer(service, rpcContext(message), () => throwError(() => error))).rejects.toBe(error);
      expect(isMessageError(error)).toBe(error === inner);
    }
  });

  it('leaves the errors of an event as they are: only the log shows them', async () => {
    const error = new ResourceLockedError(['a'], 5, []);
    service.refusal = error;
    await expect(answer(service, rpcContext(event))).rejects.toBe(error);
    expect(isMessageError(error)).toBe(false);
  });

  it('makes an error with extensions for GraphQL', async () => {
    service.refusal = LOCKED;
    await expect(answer(service, contextOf('graphql', own, [{}, {}, {}, {}]))).rejects.toMatchObject({
      message: 'Another request is working on this resource',
      extensions: { code: 'RESOURCE_LOCKED', retryAfter: 1_500 },
      cause: LOCKED,
    });
  });
});
