import 'reflect-metadata';
import {
  All,
  Controller,
  Get,
  Injectable,
  type ModuleMetadata,
  Next,
  Post,
  Res,
  Sse,
  StreamableFile,
  type Type,
} from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Mutation, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { MessagePattern } from '@nestjs/microservices';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockModule, WithLock } from 'nestjs-redlock';
import { NEVER, type Observable } from 'rxjs';
import {
  Idempotent,
  type IdempotentOptions,
  RedlockIdempotencyModule,
  type RedlockIdempotencyOptions,
} from 'nestjs-redlock/idempotency';

let module: TestingModule | undefined;

async function start(metadata: ModuleMetadata, options: RedlockIdempotencyOptions = { principal: '<user.id>' }) {
  const imports = [
    RedlockModule.forRoot({ nodes: ['redis://127.0.0.1:1'], isGlobal: true }),
    RedlockIdempotencyModule.forRoot({ ...options, isGlobal: true }),
  ];
  module = await Test.createTestingModule({ ...metadata, imports }).compile();
}

/** Defines a class with one method `pay`. */
function handlers(...decorators: readonly MethodDecorator[]): Type<object> {
  @Controller('orders')
  class Orders {
    async pay(): Promise<void> {}
  }
  for (const decorate of [...decorators].reverse()) {
    const descriptor = Object.getOwnPropertyDescriptor(Orders.prototype, 'pay')!;
    decorate(Orders.prototype, 'pay', descriptor);
    Object.defineProperty(Orders.prototype, 'pay', descriptor);
  }
  return Orders;
}

@Controller()
class Answering {
  @Post()
  @Idempotent()
  async res(@Res() _response: unknown): Promise<void> {}
}

@Controller()
class Passing {
  @Post()
  @Idempotent()
  async next(@Next() _next: unknown): Promise<void> {}
}

@Controller()
class Through {
  @Post()
  @Idempotent()
  async res(@Res({ passthrough: true }) _response: unknown): Promise<void> {}
}

@Controller()
class Files {
  @Post()
  @Idempotent()
  download(): StreamableFile {
    return new StreamableFile(Buffer.of());
  }
}

@Controller()
class Events {
  @Sse()
  @Idempotent()
  stream(): Observable<never> {
    return NEVER;
  }
}

describe('the start of an application with @Idempotent', () => {
  afterEach(async () => {
    await module?.close();
    module = undefined;
  });

  it.each<[string, Type<object>, RegExp]>([
    ['@Sse', Events, /^@Idempotent on Events\.stream: a stream of events/],
    ['@Res', Answering, /^@Idempotent on Answering\.res: what a handler answers by @Res/],
    ['@Next', Passing, /^@Idempotent on Passing\.next: what a handler answers by @Res/],
    ['a file as its result', Files, /^@Idempotent on Files\.download: a StreamableFile/],
    ['GET', handlers(Get(), Idempotent()), /^@Idempotent on Orders\.pay: GET requests/],
    ['GET, whatever the order', handlers(Idempotent(), Get()), /^@Idempotent on Orders\.pay: GET requests/],
    ['all methods', handlers(All(), Idempotent()), /^@Idempotent on Orders\.pay: ALL requests/],
    ['an argument', handlers(Post(), Idempotent('a:<0.id>')), /is made before its arguments/],
    ['a part of another kind', handlers(Post(), Idempotent('a:<data.id>')), /<data\.id> reads from/],
    [
      'the header of a message',
      handlers(MessagePattern('pay'), Idempotent()),
      /only HTTP has an Idempotency-Key header/,
    ],
    [
      'the key of its lock',
      handlers(Post(), Idempotent('a:<body.id>'), WithLock('a:<body.id>')),
      /@WithLock has the same key/,
    ],
  ])('fails by %s', async (_case, type, message) => {
    await expect(start({ controllers: [type] })).rejects.toThrow(message);
  });

  it.each<[string, Type<object>, RegExp]>([
    [
      'a query',
      handlers(
        Query(() => String),
        Idempotent('a:<args.id>'),
      ),
      /a query is for reading/,
    ],
    ['a field', handlers(ResolveField(), Idempotent('a:<parent.id>')), /a field is for reading/],
    [
      'the header alone for a mutation',
      handlers(
        Mutation(() => String),
        Idempotent('a:<headers.idempotency-key>'),
      ),
      /one request may have several mutations/,
    ],
  ])('fails by %s', async (_case, type, message) => {
    Resolver()(type);
    await expect(start({ providers: [type] })).rejects.toThrow(message);
  });

  it('fails by lock options that no call of the pool could have', async () => {
    await start({ controllers: [handlers(Post(), Idempotent('a:<body.id>', { ttl: 60_000 }))] });
    await expect(module!.init()).rejects.toThrow(/@Idempotent on Orders\.pay: ttl must be at most maxTtl/);
  });

  it('fails by the header without a principal', async () => {
    const message = /^@Idempotent on Orders\.pay: whoever sends the header of another client/;
    for (const key of [undefined, 'a:<headers.x-request>'])
      await expect(
        start({ controllers: [handlers(Post(), key === undefined ? Idempotent() : Idempotent(key))] }, {}),
      ).rejects.toThrow(message);
  });

  it.each<[string, string | undefined, IdempotentOptions]>([
    ['public: true', undefined, { public: true }],
    ['a principal of its own', undefined, { principal: '<headers.x-client>' }],
    ['no header in its key', 'a:<body.id>', {}],
  ])('succeeds without a principal of the module by %s', async (_case, key, options) => {
    const idempotent = key === undefined ? Idempotent(options) : Idempotent(key, options);
    await expect(start({ controllers: [handlers(Post(), idempotent)] }, {})).resolves.toBeUndefined();
  });

  it('succeeds by @Res with passthrough, a lock with another key, and a provider', async () => {
    @Injectable()
    class Mails {
      @Idempotent('mail:<0.id>')
      async send(_mail: { id: string }): Promise<void> {}
    }
    const locked = handlers(Post(), Idempotent('a:<body.id>'), WithLock('b:<body.id>'));
    await expect(start({ controllers: [Through, locked], providers: [Mails] })).resolves.toBeUndefined();
  });

  it('fails by a provider that has no request', async () => {
    @Injectable()
    class Mails {
      @Idempotent('mail:<body.id>')
      async send(): Promise<void> {}
    }
    await expect(start({ providers: [Mails] })).rejects.toThrow(/^@Idempotent on Mails\.send: <body\.id> reads from/);
  });

  it('names the class that has inherited the method', async () => {
    @Controller('heir')
    class Heir extends handlers(Get(), Idempotent()) {}
    await expect(start({ controllers: [Heir] })).rejects.toThrow('@Idempotent on Orders.pay (of Heir): GET');
  });
});

describe('@Idempotent where the class is defined', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['an unknown option', () => Idempotent({ kep: 1 } as object), /Orders\.pay: there is no option "kep"/],
    ['a wrong keep', () => Idempotent({ keep: 0 }), /keep must be a whole number above 0/],
    ['a wrong onBusy', () => Idempotent({ onBusy: 'skip' as 'wait' }), /onBusy must be one of wait, reject/],
    ['a header that is never kept', () => Idempotent({ headers: ['Set-Cookie'] }), /Set-Cookie belongs to one/],
    ['a malformed template', () => Idempotent('a:<body.'), /^@Idempotent on Orders\.pay: The lock key "a:<body\."/],
    ['a wrong fingerprint', () => Idempotent({ fingerprint: true as false }), /fingerprint must be 'body', false/],
    ['a malformed fingerprint', () => Idempotent({ fingerprint: 'a:<bdy.x>' }), /fingerprint: The lock key/],
    ['a wrong keepErrors', () => Idempotent({ keepErrors: '5xx' as '4xx' }), /keepErrors must be '4xx'/],
    ['public with a principal', () => Idempotent({ public: true, principal: '<user.id>' }), /exclude each other/],
    ['a wrong ttl', () => Idempotent({ ttl: -1 }), /ttl must be/],
  ])('refuses %s', (_case, make, message) => {
    expect(() => handlers(make() as MethodDecorator)).toThrow(message);
  });

  it('refuses to stand without brackets', () => {
    expect(() => handlers(Idempotent as unknown as MethodDecorator)).toThrow(
      '@Idempotent on Orders.pay: write @Idempotent()',
    );
  });
});
