import { Body, Controller, Injectable, Post, type ModuleMetadata } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Cron } from '@nestjs/schedule';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Mutation, Resolver } from '@nestjs/graphql';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockModule, RedlockService, WithLock, type WithLockOptions } from 'nestjs-redlock';
import { RedlockTestingModule } from 'nestjs-redlock/testing';

const NODES = { nodes: ['redis://127.0.0.1:1'] };
const pool = (options: object = {}): ReturnType<typeof RedlockModule.forRoot> =>
  RedlockModule.forRoot({ ...NODES, isGlobal: true, ...options });

let module: TestingModule | undefined;
const start = async (metadata: ModuleMetadata): Promise<TestingModule> =>
  (module = await Test.createTestingModule(metadata).compile());

/** A service with one locked method. */
function service(key: string | readonly string[], options?: WithLockOptions): new () => object {
  @Injectable()
  class Reports {
    @WithLock(key, options)
    async write(_id?: string): Promise<void> {}
  }
  return Reports;
}

describe('the start of an application', () => {
  afterEach(async () => {
    await module?.close();
    module = undefined;
  });

  it.each<[string, object, WithLockOptions, RegExp]>([
    [
      'a ttl above maxTtl',
      {},
      { ttl: 60_000 },
      /^@WithLock on Reports\.write: ttl must be at most maxTtl, 30000 ms.*got 60000 \[REDLOCK_E03\]$/,
    ],
    [
      'a ttl above a lower maxTtl',
      { maxTtl: 5_000 },
      { ttl: 6_000 },
      /Reports\.write: ttl must be at most maxTtl, 5000 ms/,
    ],
    ['a minHold above maxTtl', {}, { minHold: 31_000 }, /Reports\.write: minHold must be at most maxTtl, 30000 ms/],
    [
      'a ttl that the drift of the pool eats up',
      { defaults: { driftFactor: 0.5 } },
      { ttl: 12 },
      /Reports\.write: ttl must be more than 13 ms: its clock drift of 8 ms/,
    ],
  ])('fails by %s', async (_case, options, lock, message) => {
    for (const redlock of [pool(options), pool({ ...options, enabled: false })]) {
      const starting = start({ imports: [redlock], providers: [service('report', lock)] });
      await expect(starting).rejects.toThrow(message);
      await expect(starting).rejects.toBeInstanceOf(RangeError);
    }
  });

  it('fails by more keys than a lock of this pool may take', async () => {
    const imports = [pool({ maxResources: 2 })];
    await expect(start({ imports, providers: [service(['a:<0>', 'b:<0>', 'c:<0>'])] })).rejects.toThrow(
      '@WithLock on Reports.write: a lock takes at most 2 keys; got 3 [REDLOCK_E10]',
    );
  });

  it('looks at the pool that the method names, and at pools that are made later', async () => {
    const named = RedlockModule.forRootAsync({
      name: 'short',
      isGlobal: true,
      useFactory: () => ({ ...NODES, maxTtl: 1_000 }),
    });
    const providers = [service('report', { ttl: 2_000 })];
    await start({ imports: [pool(), named], providers });
    await expect(
      start({ imports: [pool(), named], providers: [service('report', { ttl: 2_000, name: 'short' })] }),
    ).rejects.toThrow(/Reports\.write: ttl must be at most maxTtl, 1000 ms/);
  });

  it('looks at the pools of tests, too', async () => {
    const imports = [RedlockTestingModule.forRoot({ isGlobal: true, maxTtl: 5_000 })];
    await expect(start({ imports, providers: [service('report', { ttl: 6_000 })] })).rejects.toThrow(
      /Reports\.write: ttl/,
    );
    await expect(start({ imports, providers: [service('user:<body.id>')] })).rejects.toThrow(
      /Reports\.write: <body\.id>/,
    );
  });

  it('asks nothing of what a test puts in the place of the service', async () => {
    const providers = [service('report', { ttl: 60_000 })];
    const overridden = Test.createTestingModule({ imports: [pool()], providers });
    module = await overridden.overrideProvider(RedlockService).useValue({}).compile();
  });

  it.each(['body.email', 'params.id', 'query.q', 'headers.x-id', 'user.id', 'data.id', 'args.input.id', 'parent.id'])(
    'fails by <%s> on a method of a service',
    async (part) => {
      const starting = start({ imports: [pool()], providers: [service(`user:<${part}>`)] });
      await expect(starting).rejects.toThrow(TypeError);
      await expect(starting).rejects.toThrow(
        new RegExp(
          `^@WithLock on Reports\\.write: <${part.replace('.', '\\.')}> reads from .*, and none is handled here; use <0\\.\\.\\.>`,
        ),
      );
    },
  );

  it('fails by a part of a request on a cron job, and where a controller calls its method itself', async () => {
    class Jobs {
      @Cron('0 0 * * *')
      @WithLock('job:<body.id>')
      async nightly(): Promise<void> {}
    }
    class Users {
      @WithLock('user:<body.id>')
      async helper(): Promise<void> {}
    }
    Controller()(Users);
    await expect(start({ imports: [pool()], providers: [Jobs] })).rejects.toThrow(/Jobs\.nightly: <body\.id>/);
    await expect(start({ imports: [pool()], controllers: [Users] })).rejects.toThrow(/Users\.helper: <body\.id>/);
  });

  it('names the class that has inherited the method, too', async () => {
    abstract class Base {
      @WithLock('user:<body.id>')
      async save(): Promise<void> {}
    }
    class Users extends Base {}
    Injectable()(Users);
    await expect(start({ imports: [pool()], providers: [Users] })).rejects.toThrow(
      '@WithLock on Base.save (of Users): <body.id>',
    );
  });

  it('fails by a part that this kind of handler has not', async () => {
    class Messages {
      @MessagePattern('save')
      @WithLock('order:<body.id>')
      async save(@Payload() _data: object): Promise<void> {}
    }
    Controller()(Messages);
    @WebSocketGateway()
    class Gateway {
      @WithLock('order:<body.id>')
      @SubscribeMessage('save')
      async save(): Promise<void> {}
    }
    @Resolver()
    class Orders {
      @Mutation(() => String)
      @WithLock('order:<body.id>')
      async save(): Promise<string> {
        return 'saved';
      }
    }
    const refusals: [ModuleMetadata, string][] = [
      [
        { controllers: [Messages] },
        '@WithLock on Messages.save: <body.id> reads from an HTTP request, and this is a message of a microservice: use <data...>, <user...>',
      ],
      [
        { providers: [Gateway] },
        '@WithLock on Gateway.save: <body.id> reads from an HTTP request, and this is a message of a WebSocket: use <data...>',
      ],
      [
        { providers: [Orders] },
        '@WithLock on Orders.save: <body.id> reads from an HTTP request, and this is a GraphQL operation: use <args.name...>',
      ],
    ];
    for (const [metadata, message] of refusals) {
      await expect(start({ imports: [pool()], ...metadata })).rejects.toThrow(message);
    }
  });

  it('goes on with all that can work', async () => {
    class Users {
      @WithLock('user:<body.id>:<params.id>:<user.id>', { ttl: 30_000, minHold: 30_000 })
      @Post(':id')
      async above(@Body() _body: object): Promise<void> {}

      @MessagePattern('save')
      @Post('both')
      @WithLock(['user:<user.id>', 'order:<0.id>'])
      async both(_order: { id: string }): Promise<void> {}
    }
    Controller()(Users);
    const providers = [service('order:<0>', { ttl: 30_000 }), service(['report'], { minHold: 30_000 })];
    await expect(start({ imports: [pool()], controllers: [Users], providers })).resolves.toBeDefined();
  });
});
