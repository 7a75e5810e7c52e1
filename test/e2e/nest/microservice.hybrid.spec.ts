import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Catch,
  Controller,
  HttpException,
  Inject,
  UseFilters,
  UseInterceptors,
  type ExceptionFilter,
  type ModuleMetadata,
} from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { MessagePattern, Payload, RpcException, Transport, type ClientProxy } from '@nestjs/microservices';
import { RedlockError, RedlockExceptionFilter, WithLock } from 'nestjs-redlock';
import { throwError, type Observable } from 'rxjs';
import { Door } from '../../support/nest/door.js';
import { Endings } from '../../support/nest/endings.js';
import { Feed, MessageHandlers, Payments, type Order } from '../../support/nest/message-handlers.js';
import { holderOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import {
  ask,
  closeMicroservices,
  connectClient,
  TestMicroservice,
  type Mode,
} from '../../support/nest/test-microservice.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

const HOST = '127.0.0.1';
const LOCKED = { code: 'RESOURCE_LOCKED', message: 'Another request is working on this resource' };
const REJECT = { onContended: 'reject' } as const;

/** Returns what it was given, so that the test sees which handler answered. */
function telling(by: string): new () => ExceptionFilter {
  class Telling implements ExceptionFilter {
    catch(error: unknown): Observable<never> {
      return throwError(() => ({ by, locked: error instanceof RedlockError }));
    }
  }
  return Telling;
}

@Catch(RedlockError)
class OfMethod extends telling('method') {}

@Catch()
class OfClass extends telling('class') {}

@Catch(HttpException)
class OfApplication extends telling('application') {}

@Controller()
@UseFilters(OfClass)
class Filtered {
  @MessagePattern('filtered-by-class')
  @WithLock('order:<data.id>', REJECT)
  async byClass(): Promise<void> {}

  @UseFilters(OfMethod)
  @MessagePattern('filtered-by-method')
  @WithLock('order:<data.id>', REJECT)
  async byMethod(): Promise<void> {}
}

/** Sees how each message ends, also where no client is there to be told. */
const endings = new Endings();

@Controller()
@UseInterceptors(endings)
class Handlers extends MessageHandlers {}

@Controller()
@UseFilters(RedlockExceptionFilter)
class Asking {
  constructor(@Inject(Payments) private readonly payments: Payments) {}

  @MessagePattern('inner-with-filter')
  inner(@Payload() { id }: Order): Promise<string> {
    return this.payments.pay(id);
  }
}

describe.each<Mode>(['alone', 'beside', 'inheriting'])('a microservice that runs %s', (mode) => {
  const door = new Door();
  let servers: RedisServer[];
  let service: TestMicroservice;
  let client: ClientProxy;

  const start = async (pool = poolOn(servers)): Promise<void> => {
    const metadata: ModuleMetadata = {
      imports: [pool],
      controllers: [Handlers, Filtered, Asking],
      providers: [Payments, Feed, { provide: Door, useValue: door }, { provide: APP_FILTER, useClass: OfApplication }],
    };
    service = await TestMicroservice.start(metadata, {
      options: { transport: Transport.TCP, options: { host: HOST, port: 0 } },
      mode,
    });
    client = await connectClient({ transport: Transport.TCP, options: { host: HOST, port: service.port } });
  };

  beforeAll(async () => {
    servers = await startRedisServers(3);
  });
  beforeEach(() => {
    door.reset();
    endings.all.length = 0;
  });
  afterEach(closeMicroservices);
  afterAll(() => stopAll());

  it('tells clients of the locks of its handlers, whether or not it inherits filters', async () => {
    await start();
    await using holder = await service.redlock.acquire('order:7');
    for (const pattern of ['reject', 'reject-by-argument', 'inner-of-locked']) {
      expect((await ask(client, pattern, { id: '7' })).error).toMatchObject(LOCKED);
    }
    expect((await ask(client, 'promise', {})).error).toMatchObject({ code: 'LOCK_KEY' });
    expect(holder.isValid).toBe(true);
  });

  it('tells clients of locks further in where a filter holds for it', async () => {
    await start();
    await using holder = await service.redlock.acquire('order:7');
    expect((await ask(client, 'inner-with-filter', { id: '7' })).error).toMatchObject(LOCKED);
    const { error } = await ask(client, 'inner', { id: '7' });
    if (mode === 'beside') expect(error).toEqual({ status: 'error', message: 'Internal server error' });
    else expect(error).toMatchObject(LOCKED);
    expect(holder.isValid).toBe(true);
  });

  it('asks the filters of class and method first, and those with the very error', async () => {
    await start();
    await using holder = await service.redlock.acquire('order:7');
    expect(await ask(client, 'filtered-by-class', { id: '7' })).toEqual({ error: { by: 'class', locked: true } });
    expect(await ask(client, 'filtered-by-method', { id: '7' })).toEqual({ error: { by: 'method', locked: true } });
    expect(holder.isValid).toBe(true);
  });

  it('throws what its module makes of the errors of locks, unless the method says otherwise', async () => {
    await start(poolOn(servers, { exceptionFactory: ({ code }) => new RpcException({ made: code }) }));
    await using holder = await service.redlock.acquire('order:7');
    for (const pattern of ['reject', 'reject-by-argument', 'inner-of-locked', 'inner-with-filter']) {
      expect(await ask(client, pattern, { id: '7' })).toEqual({ error: { made: 'RESOURCE_LOCKED' } });
    }
    expect(await ask(client, 'made', { id: '7' })).toEqual({
      error: { status: 'error', message: 'RESOURCE_LOCKED in rpc' },
    });
    expect(holder.isValid).toBe(true);
  });

  describe.each(['promise', 'by-argument', 'observable'])('whose client goes away from %s', (pattern) => {
    const resource = `order:${pattern}`;
    const raw = async (data: object): Promise<Socket> => {
      const socket = connect(service.port, HOST);
      await once(socket, 'connect');
      const packet = JSON.stringify({ pattern, data, id: '1' });
      socket.write(`${packet.length}#${packet}`);
      return socket;
    };

    it('while it waits stops waiting, and leaves the lock to its holder', async () => {
      await start();
      const log = service.follow();
      const holder = await service.redlock.acquire(resource);
      const socket = await raw({ id: pattern });
      await log.until('contended', resource);
      socket.destroy();
      await endings.until(1);
      expect(endings.all).toMatchObject([{ how: 'failed', error: { status: 499 } }]);
      expect(holder.isValid).toBe(true);
      await holder.release();
      await untilFree(servers);
      expect((await ask(client, pattern, { id: pattern })).values).toEqual([{ id: pattern }]);
      expect([door.visits, log.count('acquired', resource)]).toEqual([[pattern], 2]);
    });

    it('while its handler runs leaves the lock held for as long as that takes', async () => {
      await start();
      const log = service.follow();
      door.shut();
      const socket = await raw({ id: pattern });
      await door.untilVisits(1);
      const holding = await holderOn(servers, resource);
      socket.destroy();
      const rival = ask(client, pattern, { id: pattern });
      await log.until('contended', resource);
      expect([door.inside, await holderOn(servers, resource)]).toEqual([1, holding]);
      door.open();
      expect((await rival).values).toEqual([{ id: pattern }]);
      expect(door.most).toBe(1);
    });
  });
});
