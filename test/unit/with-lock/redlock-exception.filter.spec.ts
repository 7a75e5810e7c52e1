import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HttpException, Logger, type ArgumentsHost, type ExceptionFilter, type HttpServer } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { lastValueFrom, type Observable } from 'rxjs';
import {
  LockKeyError,
  LockLostError,
  QuorumNotReachedError,
  ResourceLockedError,
  RedlockError,
} from '../../../lib/engine/errors.js';
import type { ExceptionFactory } from '../../../lib/with-lock/reply/exceptions.js';
import { GlobalRedlockExceptionFilter } from '../../../lib/with-lock/redlock-exception.filter.js';

const LOCKED = new ResourceLockedError(['a'], 1_500, []);
const TOLD = {
  status: 'error',
  message: 'Another request is working on this resource',
  code: 'RESOURCE_LOCKED',
  retryAfter: 1_500,
};

function hostOf(type: string, ...args: object[]): ArgumentsHost {
  const host = new ExecutionContextHost(args);
  host.setType(type);
  return host;
}

describe('RedlockExceptionFilter', () => {
  let config: ApplicationConfig;
  let filter: GlobalRedlockExceptionFilter;
  const reply = jest.fn<(response: object, body: object, status: number) => void>();
  const header = jest.fn();

  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));

  beforeEach(() => {
    jest.clearAllMocks();
    config = new ApplicationConfig();
    filter = new GlobalRedlockExceptionFilter(config);
    const server = { reply, isHeadersSent: () => false, end: () => undefined };
    // Nest injects it into filters as a property.
    Object.assign(filter, { httpAdapterHost: { httpAdapter: server as unknown as HttpServer } });
  });

  it('stands before the filters of the application, since Nest asks those that come later first', () => {
    const mine: ExceptionFilter = { catch: () => undefined };
    config.useGlobalFilters(mine);
    expect(config.getGlobalFilters()).toEqual([filter, mine]);
    const other = new ApplicationConfig();
    other.useGlobalFilters(mine);
    expect(other.getGlobalFilters()).toEqual([mine]);
    const late = new GlobalRedlockExceptionFilter(other);
    expect(other.getGlobalFilters()).toEqual([late, mine]);
  });

  it.each<[RedlockError, number]>([
    [LOCKED, 409],
    [new QuorumNotReachedError(['a'], [], 'down'), 503],
    [new LockKeyError('missing'), 400],
    [new LockLostError(['a'], 'nodes', 'gone'), 500],
  ])('answers an HTTP request for %s with %i', (error, status) => {
    filter.catch(error, hostOf('http', {}, { header }));
    expect(reply).toHaveBeenCalledTimes(1);
    expect(reply.mock.calls[0]![2]).toBe(status);
  });

  it('says when to come again', () => {
    filter.catch(LOCKED, hostOf('http', {}, { header }));
    expect(header).toHaveBeenCalledWith('Retry-After', '2');
  });

  it('tells a microservice what happened, and when to come again, by the stream that it expects', async () => {
    const stream = filter.catch(LOCKED, hostOf('rpc', {}, {})) as Observable<never>;
    await expect(lastValueFrom(stream)).rejects.toEqual(TOLD);
    expect(reply).not.toHaveBeenCalled();
  });

  it('tells a socket what happened, in its own way', () => {
    const emit = jest.fn();
    filter.catch(LOCKED, hostOf('ws', { emit }, {}));
    expect(emit).toHaveBeenCalledWith('exception', TOLD);
    const send = jest.fn<(data: string) => void>();
    filter.catch(LOCKED, hostOf('ws', { send, readyState: 1 }, {}));
    expect(JSON.parse(send.mock.calls[0]![0])).toEqual({ event: 'exception', data: TOLD });
  });

  it('gives a resolver an error with extensions', () => {
    const error = filter.catch(LOCKED, hostOf('graphql', {}, {}));
    expect(error).toMatchObject({
      message: TOLD.message,
      extensions: { code: 'RESOURCE_LOCKED', retryAfter: 1_500 },
      cause: LOCKED,
    });
    expect(error).toBeInstanceOf(Error);
  });

  it.each(['rpc', 'graphql'])('tells nothing of an error that is no business of clients: %s', async (type) => {
    const error = new RedlockError('NO_SERVICE', [], 'secret');
    const result = filter.catch(error, hostOf(type, {}, {}));
    expect(result).toBe(type === 'rpc' ? undefined : error);
  });

  it('leaves what it does not know to Nest', () => {
    expect(filter.catch(LOCKED, hostOf('telegram', {}, {}))).toBeUndefined();
  });

  it('answers a middleware on Fastify, whose response is that of Node', () => {
    filter.catch(new LockKeyError('missing'), hostOf('http', {}, { setHeader: header }));
    expect(reply.mock.calls[0]![2]).toBe(400);
  });

  it.each([[[]], [['job', null]], [['job', { id: 1 }]]])(
    'leaves a call that Nest calls HTTP, and that has no response, to Nest: %j',
    (args) => {
      expect(filter.catch(LOCKED, hostOf('http', ...(args as object[])))).toBeUndefined();
      expect(reply).not.toHaveBeenCalled();
    },
  );

  describe('where the module makes exceptions itself', () => {
    const make = (exceptionFactory: ExceptionFactory): GlobalRedlockExceptionFilter =>
      Object.assign(new GlobalRedlockExceptionFilter(config, { exceptionFactory }), {
        httpAdapterHost: filter['httpAdapterHost'],
      });

    it('answers an HTTP request by those', () => {
      make((error) => new HttpException(error.code, 418)).catch(LOCKED, hostOf('http', {}, { header }));
      expect(reply.mock.calls[0]!.slice(1)).toEqual([{ statusCode: 418, message: 'RESOURCE_LOCKED' }, 418]);
    });

    it('answers messages by those, as Nest itself would', async () => {
      const said = { mine: true };
      const mine = make(() => ({ getError: () => said }));
      await expect(lastValueFrom(mine.catch(LOCKED, hostOf('rpc', {}, {})) as Observable<never>)).rejects.toBe(said);
      const emit = jest.fn();
      make(() => ({ getError: () => 'text' })).catch(LOCKED, hostOf('ws', { emit }, {}));
      make(() => new Error('secret')).catch(LOCKED, hostOf('ws', { emit }, {}));
      expect(emit.mock.calls).toEqual([
        ['exception', { status: 'error', message: 'text' }],
        ['exception', { status: 'error', message: 'Internal server error' }],
      ]);
    });

    it('gives them to a resolver', () => {
      const mine = new Error('mine');
      expect(make(() => mine).catch(LOCKED, hostOf('graphql'))).toBe(mine);
    });

    it('tells them of error and call, and answers as usual where they make nothing', () => {
      const factory = jest.fn<ExceptionFactory>();
      const host = hostOf('http', {}, { header });
      make(factory).catch(LOCKED, host);
      expect(factory).toHaveBeenCalledWith(LOCKED, host);
      expect(reply.mock.calls[0]![2]).toBe(409);
    });

    it('is asked before those of other pools, and after the filters of the application', () => {
      const mine: ExceptionFilter = { catch: () => undefined };
      config.useGlobalFilters(mine);
      const making = make(() => undefined);
      const late = new GlobalRedlockExceptionFilter(config);
      expect(config.getGlobalFilters()).toEqual([late, filter, making, mine]);
    });
  });
});
