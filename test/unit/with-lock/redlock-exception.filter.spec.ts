import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger, type ArgumentsHost, type ExceptionFilter, type HttpServer } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import {
  LockKeyError,
  LockLostError,
  QuorumNotReachedError,
  ResourceLockedError,
  type RedlockError,
} from '../../../lib/core/errors.js';
import { RedlockExceptionFilter } from '../../../lib/with-lock/redlock-exception.filter.js';

const LOCKED = new ResourceLockedError(['a'], 1_500, []);

function hostOf(type: string, ...args: object[]): ArgumentsHost {
  const host = new ExecutionContextHost(args);
  host.setType(type);
  return host;
}

describe('RedlockExceptionFilter', () => {
  let config: ApplicationConfig;
  let filter: RedlockExceptionFilter;
  const reply = jest.fn<(response: object, body: object, status: number) => void>();
  const header = jest.fn();

  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));

  beforeEach(() => {
    jest.clearAllMocks();
    config = new ApplicationConfig();
    filter = new RedlockExceptionFilter(config);
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
    const late = new RedlockExceptionFilter(other);
    expect(other.getGlobalFilters()).toEqual([late, mine]);
  });

  it.each<[RedlockError, number]>([
    [LOCKED, 409],
    [new QuorumNotReachedError(['a'], [], 'down'), 503],
    [new LockKeyError('missing'), 400],
    [new LockLostError(['a'], 'gone'), 500],
  ])('answers an HTTP request for %s with %i', (error, status) => {
    filter.catch(error, hostOf('http', {}, { header }));
    expect(reply).toHaveBeenCalledTimes(1);
    expect(reply.mock.calls[0]![2]).toBe(status);
  });

  it('says when to come again', () => {
    filter.catch(LOCKED, hostOf('http', {}, { header }));
    expect(header).toHaveBeenCalledWith('Retry-After', '2');
  });

  it('leaves the errors of microservices to Nest', () => {
    expect(filter.catch(LOCKED, hostOf('rpc', {}, {}))).toBeUndefined();
    expect(reply).not.toHaveBeenCalled();
  });

  it('tells a socket no more than Nest would, and the code', () => {
    const emit = jest.fn();
    filter.catch(LOCKED, hostOf('ws', { emit }, {}));
    expect(emit).toHaveBeenCalledWith('exception', {
      status: 'error',
      message: 'Internal server error',
      code: 'RESOURCE_LOCKED',
    });
    const send = jest.fn<(data: string) => void>();
    filter.catch(LOCKED, hostOf('ws', { send, readyState: 1 }, {}));
    expect(JSON.parse(send.mock.calls[0]![0])).toMatchObject({ event: 'exception', data: { code: 'RESOURCE_LOCKED' } });
  });
});
