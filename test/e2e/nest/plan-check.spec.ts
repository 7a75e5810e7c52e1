import { Body, Controller, Injectable, Logger, Post, type ModuleMetadata } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Cron } from '@nestjs/schedule';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Mutation, Resolver } from '@nestjs/graphql';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockModule, RedlockService, WithLock, type WithLockOptions } from 'nestjs-redlock';
import { RedlockTestingModule } from 'nestjs-redlock/testing';
import { TestApp } from '../../support/nest/test-app.js';

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

/** Of which the compiler knows nothing. */
const SECOND: string = 'transfer:<1.id>';

@Injectable()
class OneArgument {
  @WithLock(SECOND)
  async begin(_from: { id: string }): Promise<void> {}
}

@Injectable()
class NoArgument {
  @WithLock(SECOND)
  async begin(): Promise<void> {}
}

@Injectable()
class WithDefault {
  @WithLock('transfer:<1>')
  async begin(_from: string, _to = 'till'): Promise<void> {}
}

@Injectable()
class WithRest {
  @WithLock('transfer:<1>')
  async begin(..._accounts: string[]): Promise<void> {}
}

/** Puts a function without a name in the place of a method, as many decorators do; the function takes as many arguments. */
function replaced(_target: object, _name: string, descriptor: PropertyDescriptor): void {
  const method = descriptor.value as (from: unknown) => unknown;
  descriptor.value = function (this: unknown, from: unknown): unknown {
    return method.call(this, from);
  };
}

@Injectable()
class Replaced {
  @WithLock(SECOND)
  @replaced
  async begin(_from: { id: string }): Promise<void> {}
}

/** Its key function makes a key of each id. */
@Controller()
class Items {
  @Post('items')
  @WithLock(({ ids }: { ids: string[] }) => ids.map((id) => `item:${id}`))
  async lock(@Body() { ids }: { ids: string[] }): Promise<number> {
    return ids.length;
  }
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

  it.each([
    [64, {}],
    [2, { maxResources: 2 }],
    [65, { maxResources: 65 }],
  ])('fails by more keys than the %i that a lock of this pool may take', async (most, options) => {
    const keys = Array.from({ length: most + 1 }, (_, index) => `item:<0>:${index}`);
    await expect(start({ imports: [pool(options)], providers: [service(keys)] })).rejects.toThrow(
      `@WithLock on Reports.write: a lock takes at most ${most} keys; got ${most + 1} [REDLOCK_E10]`,
    );
    await expect(start({ imports: [pool(options)], providers: [service(keys.slice(1))] })).resolves.toBeDefined();
  });

  it('lets a key function make as many keys, and answers 500 to more', async () => {
    const app = await TestApp.start('Express', { imports: [RedlockTestingModule.forRoot()], controllers: [Items] });
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const lock = (count: number) => app.post('items', { ids: Array.from({ length: count }, (_, index) => `${index}`) });
    expect(await lock(64)).toMatchObject({ status: 201 });
    // A limit of the server is no mistake of the client.
    expect(await lock(65)).toMatchObject({ status: 500 });
    expect(logged.mock.calls.flat().map(String).join()).toContain('at most 64 resources');
    logged.mockRestore();
    await app.close();
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

  it.each([
    ['OneArgument', '<0> is its only one', OneArgument],
    ['Replaced', '<0> is its only one', Replaced],
    ['NoArgument', 'it has none', NoArgument],
  ])('fails by an argument that the method does not have: %s', async (name, there, provider) => {
    await expect(start({ imports: [pool()], providers: [provider] })).rejects.toThrow(
      `@WithLock on ${name}.begin: <1> reads an argument that this method does not have: ${there}`,
    );
  });

  it.each([
    ['a default', WithDefault],
    ['the rest of them', WithRest],
  ])('finds an argument that is %s', async (_case, provider) => {
    await expect(start({ imports: [pool()], providers: [provider] })).resolves.toBeDefined();
  });
});
