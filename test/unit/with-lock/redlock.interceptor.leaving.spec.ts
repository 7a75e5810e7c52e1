import 'reflect-metadata';
import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { from, mergeAll, NEVER, of, type Observable } from 'rxjs';
import type { AbortSignalLike } from '../../../lib/engine/abort.js';
import { lockCalls } from '../../../lib/with-lock/run/lock-call.js';
import { bound } from '../../support/nest/bound.js';
import { Deferred } from '../../support/nest/deferred.js';
import {
  answer,
  contextOf,
  DATA,
  intercept,
  rpcContext,
  StubHandlers,
  StubPool,
} from '../../support/nest/stub-handlers.js';

describe('RedlockInterceptor', () => {
  const { message, event, onSocket, byArgument, promisedStream, own } = StubHandlers.prototype;
  let service: StubPool;
  let connection: EventEmitter;

  beforeEach(() => {
    service = new StubPool();
    connection = new EventEmitter();
  });

  describe('while the call waits', () => {
    beforeEach(() => {
      service.turn = new Deferred();
    });

    it('gives up where the connection of a TCP client closes', async () => {
      const end = answer(service, rpcContext(message, connection));
      await service.untilWaiting(1);
      connection.emit('close');
      await expect(end).rejects.toMatchObject({ status: 499 });
    });

    it('does not give up an event for that: the sender of an event waits for nothing', async () => {
      const end = answer(service, rpcContext(event, connection));
      await service.untilWaiting(1);
      connection.emit('close');
      service.turn!.resolve();
      await expect(end).resolves.toBe('done');
    });

    it.each([
      ['the response', () => ({ req: { res: connection } })],
      ['the socket of a subscription', () => ({ req: { extra: { socket: connection } } })],
    ])('gives up where %s of a GraphQL operation closes', async (_case, context) => {
      const end = answer(service, contextOf('graphql', own, [{}, {}, context(), {}]));
      await service.untilWaiting(1);
      connection.emit('close');
      await expect(end).rejects.toMatchObject({ status: 499 });
    });

    it('gives up where Nest listens no longer, as when a socket disconnects', async () => {
      const subscription = intercept(service, contextOf('ws', onSocket, [{}, DATA])).subscribe();
      await service.untilWaiting(1);
      subscription.unsubscribe();
      await service.untilWaiting(0);
      expect(service.locks).toEqual([]);
    });

    it('lets the method know that, where it takes the lock by its arguments', async () => {
      let signal: AbortSignalLike | undefined;
      const subscription = intercept(service, contextOf('ws', byArgument, [{}, DATA]), () => {
        signal = lockCalls.getStore()!.run.signal;
        return NEVER;
      }).subscribe();
      expect(signal!.aborted).toBe(false);
      subscription.unsubscribe();
      expect(signal!.aborted).toBe(true);
    });

    it('gives up the second wait of a promised stream, too, where the connection closes', async () => {
      service.turn = undefined;
      const handlers = bound(new StubHandlers(), service);
      const second = (): void => void (service.turn = new Deferred());
      const end = answer(service, rpcContext(promisedStream, connection), () =>
        // What is not subscribed to at once locks again.
        from(handlers.promisedStream('a@b', second).then(afterTurns)).pipe(mergeAll()),
      );
      await service.untilWaiting(1);
      connection.emit('close');
      await expect(end).rejects.toMatchObject({ status: 499 });
    });

    it('does not abort what has ended', async () => {
      let signal: AbortSignalLike | undefined;
      await answer(service, contextOf('ws', byArgument, [{}, DATA]), () => {
        signal = lockCalls.getStore()!.run.signal;
        return of('done');
      });
      expect(signal!.aborted).toBe(false);
    });
  });

  describe('when Nest listens no longer to a method that is under way', () => {
    it('holds the lock until its promise settles', async () => {
      const handlers = bound(new StubHandlers(), service);
      const subscription = intercept(service, rpcContext(message, connection), () =>
        from(handlers.message()),
      ).subscribe();
      await service.untilHeld(1);
      subscription.unsubscribe();
      await new Promise(setImmediate);
      expect(service.held).toBe(1);
      handlers.work.reject(new Error('nobody hears of it'));
      await service.untilHeld(0);
    });

    it('does not begin it after its pipes any more: the lock is on its way back', async () => {
      const handlers = bound(new StubHandlers(), service);
      const pipes = new Deferred();
      const began = new Deferred<unknown>();
      const handle = (): Observable<unknown> => {
        began.resolve(pipes.promise.then(() => handlers.message()));
        return NEVER;
      };
      const subscription = intercept(service, rpcContext(message, connection), handle).subscribe();
      await service.untilHeld(1);
      subscription.unsubscribe();
      pipes.resolve();
      await expect(began.promise).rejects.toMatchObject({ status: 499 });
      await service.untilHeld(0);
      expect(service.locks).toHaveLength(1);
    });
  });
});

async function afterTurns<T>(value: T): Promise<T> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  return value;
}
