import 'reflect-metadata';
import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { RpcException } from '@nestjs/microservices';
import { throwError } from 'rxjs';
import { ResourceLockedError } from '../../../lib/engine/errors.js';
import type { ExceptionFactory } from '../../../lib/with-lock/reply/exceptions.js';
import { answer, contextOf, DATA, rpcContext, StubHandlers, StubPool } from '../../support/nest/stub-handlers.js';

const LOCKED = new ResourceLockedError(['user:a@b'], 1_500, []);
const ofMethod = jest.fn<ExceptionFactory>();
const ofModule = jest.fn<ExceptionFactory>();

describe('RedlockInterceptor', () => {
  const { message, own } = StubHandlers.prototype;
  let service: StubPool;

  beforeEach(() => {
    service = new StubPool();
    StubHandlers.factory = ofMethod.mockReset();
    ofModule.mockReset();
  });

  describe('with factories of exceptions', () => {
    const http = (handler: () => unknown): ExecutionContextHost =>
      contextOf('http', handler, [{ body: DATA }, Object.assign(new EventEmitter(), { header: () => undefined })]);

    it('throws what that of the method makes, and asks no other', async () => {
      const mine = new Error('mine');
      ofMethod.mockReturnValue(mine);
      service.exceptionFactory = ofModule;
      service.refusal = LOCKED;
      for (const context of [http(own), rpcContext(own), contextOf('graphql', own, [{}, {}, {}, {}])]) {
        await expect(answer(service, context)).rejects.toBe(mine);
        expect(ofMethod).toHaveBeenLastCalledWith(LOCKED, context);
      }
      expect(ofModule).not.toHaveBeenCalled();
    });

    it('throws what that of the module makes elsewhere, also for what is no lock that was refused', async () => {
      ofModule.mockImplementation((error) => new RpcException(error.code));
      service.exceptionFactory = ofModule;
      await expect(answer(service, contextOf('rpc', message, [{}, {}]))).rejects.toMatchObject({ message: 'LOCK_KEY' });
      await expect(answer(service, rpcContext(message), () => throwError(() => LOCKED))).rejects.toMatchObject({
        message: 'RESOURCE_LOCKED',
      });
    });

    it('answers as usual where they make nothing', async () => {
      service.refusal = LOCKED;
      await expect(answer(service, http(own))).rejects.toMatchObject({ status: 409 });
    });

    it('throws what they throw', async () => {
      const mine = new Error('mine');
      ofMethod.mockImplementation(() => {
        throw mine;
      });
      service.refusal = LOCKED;
      await expect(answer(service, http(own))).rejects.toBe(mine);
    });

    it('asks them about locks only', async () => {
      ofMethod.mockReturnValue(new Error('mine'));
      const business = new Error('business');
      await expect(answer(service, rpcContext(own), () => throwError(() => business))).rejects.toBe(business);
      expect(ofMethod).not.toHaveBeenCalled();
    });
  });
});
