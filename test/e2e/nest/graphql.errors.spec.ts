import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Catch, HttpException, Logger, type DynamicModule, type ExceptionFilter, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { run } from '../../support/nest/graphql-client.js';
import { Payments } from '../../support/nest/message-handlers.js';
import { CLOSED_PORTS, poolOn, untilFree } from '../../support/nest/nodes.js';
import { KEY_MESSAGE } from '../../support/nest/key-message.js';
import { graphql } from '../../support/nest/graphql-module.js';
import { News, Orders } from '../../support/nest/resolvers.js';
import { TestApp } from '../../support/nest/test-app.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

const LOCKED = { code: 'RESOURCE_LOCKED', retryAfter: expect.any(Number) };
const MISTAKEN = { message: 'Internal Server Error', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
const MESSAGE = 'Another request is working on this resource';

@Catch(HttpException)
class OfApplication implements ExceptionFilter {
  catch(error: HttpException): Error {
    return Object.assign(new Error(`filtered ${error.getStatus()}`), { cause: error });
  }
}

/** What comes of it, and what the log says of failures. */
async function withLog<T>(work: () => Promise<T>): Promise<[T, unknown[]]> {
  const logger = { log: jest.fn(), warn: jest.fn(), error: jest.fn() };
  Logger.overrideLogger(logger);
  const result = await work().finally(() => Logger.overrideLogger(false));
  return [result, logger.error.mock.calls.map(([error]) => error)];
}

describe('the errors of locked resolvers', () => {
  const door = new Door();
  let servers: RedisServer[];
  let [app, cut]: TestApp[] = [];

  const start = (pool: DynamicModule, options: Parameters<typeof graphql>[0] = {}, ...more: Provider[]) => {
    const providers = [Orders, Payments, News, { provide: Door, useValue: door }, ...more];
    return TestApp.start('Express', { imports: [pool, graphql(options)], providers });
  };
  const errorsOf = async (text: string, at = app!): Promise<unknown> => (await run(at, text)).errors;

  beforeAll(async () => {
    servers = await startRedisServers(3);
    app = await start(poolOn(servers));
    cut = await start(poolOn(CLOSED_PORTS, { defaults: { waitTimeout: 0 } }));
  });

  beforeEach(() => door.reset());

  afterAll(async () => {
    door.open();
    await endAll();
  });

  it.each(['reject(id: "7") { id }', 'rejectByArgument(id: "7") { id }', 'inner(id: "7")', 'innerOfLocked(id: "7")'])(
    'say that another caller holds the lock, and when to come again: %s',
    async (field) => {
      await using holder = await app!.redlock.acquire('order:7', { ttl: 5_000 });
      expect(await errorsOf(`mutation { ${field} }`)).toEqual([
        { message: MESSAGE, path: [expect.any(String)], locations: expect.any(Array), extensions: LOCKED },
      ]);
      expect(door.visits).toEqual([]);
      expect(holder.isValid).toBe(true);
    },
  );

  it.each(['reject(id: "secret-id") { id }', 'rejectByArgument(id: "secret-id") { id }', 'inner(id: "secret-id")'])(
    'say that no quorum can be reached, and nothing of nodes and keys: %s',
    async (field) => {
      const errors = await errorsOf(`mutation { ${field} }`, cut);
      expect(errors).toMatchObject([
        { message: 'The lock service is not available', extensions: { code: 'QUORUM_NOT_REACHED' } },
      ]);
      expect(JSON.stringify(errors)).not.toMatch(/127\.0\.0\.1|secret-id|ECONN/);
    },
  );

  it('say that the key cannot be made, and nothing of it', async () => {
    expect(await errorsOf('mutation { byUser }')).toMatchObject([
      { message: KEY_MESSAGE, extensions: { code: 'LOCK_KEY' } },
    ]);
  });

  it('say nothing of a key function that returns no key, which the log says once', async () => {
    const [errors, logged] = await withLog(() => errorsOf('mutation { byMistake }'));
    expect(errors).toMatchObject([MISTAKEN]);
    expect(JSON.stringify(errors)).not.toMatch(/secret|key function/);
    expect(logged).toEqual([
      expect.objectContaining({
        code: 'REDLOCK_E07',
        message:
          '@WithLock on Orders.byMistake: The key function must return a text, a number or several; it returned an object [REDLOCK_E07]',
      }),
    ]);
  });

  it('say that the lock was lost under way', async () => {
    door.shut();
    const errors = errorsOf('mutation { short(id: "lost") { id } }');
    await door.untilVisits(1);
    await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.set('lock:order:lost', 'stolen'))));
    expect(await errors).toMatchObject([
      { message: expect.stringContaining('was interrupted'), extensions: { code: 'LOCK_LOST' } },
    ]);
    await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.del('lock:order:lost'))));
  });

  it('take nothing from those of the resolver', async () => {
    expect(await errorsOf('mutation { business }')).toMatchObject([
      { message: 'sold out', extensions: { code: 'INTERNAL_SERVER_ERROR' } },
    ]);
    await untilFree(servers);
  });

  it('are what method or module make of them', async () => {
    const making = await start(
      poolOn(servers, { exceptionFactory: () => Object.assign(new Error('module'), { extensions: { code: 'MINE' } }) }),
    );
    await using holder = await app!.redlock.acquire('order:7');
    for (const field of ['reject(id: "7") { id }', 'inner(id: "7")']) {
      expect(await errorsOf(`mutation { ${field} }`, making)).toMatchObject([
        { message: 'module', extensions: { code: 'MINE' } },
      ]);
    }
    expect(await errorsOf('mutation { made(id: "7") { id } }', making)).toMatchObject([
      { message: 'mine', extensions: { code: 'MADE_OF_RESOURCE_LOCKED', type: 'graphql' } },
    ]);
    expect(holder.isValid).toBe(true);
  });

  it('pass the filters of the application', async () => {
    const filtered = await start(poolOn(servers), {}, { provide: APP_FILTER, useClass: OfApplication });
    await using holder = await app!.redlock.acquire('order:7');
    expect(await errorsOf('mutation { reject(id: "7") { id } }', filtered)).toMatchObject([
      { message: 'filtered 409' },
    ]);
    expect(holder.isValid).toBe(true);
  });

  describe('of fields', () => {
    const ask = (field: string, id = '7'): string => `query { order(id: "${id}") { ${field} } }`;

    it('come of the arguments of the method, since Nest has no interceptors there', async () => {
      expect(await run(app!, ask('price'))).toEqual({ data: { order: { price: 'price of 7' } } });
      const [errors, logged] = await withLog(() => errorsOf(ask('tax')));
      expect(errors).toMatchObject([MISTAKEN]);
      expect(logged).toMatchObject([
        { message: expect.stringMatching(/^@WithLock on \w+\.tax: .*parent\.id.*use <0\.\.\.>/) },
      ]);
    });

    it('come of the parent, too, where Nest is told to have some', async () => {
      const enhanced = await start(poolOn(servers), { fieldResolverEnhancers: ['interceptors'] });
      expect((await run(enhanced, ask('price tax'))).data).toEqual({ order: { price: 'price of 7', tax: 'tax of 7' } });
      await using holder = await app!.redlock.acquire(['price:7', 'tax:7']);
      expect(await errorsOf(ask('price'), enhanced)).toMatchObject([{ message: MESSAGE, extensions: LOCKED }]);
      expect(await errorsOf(ask('tax'), enhanced)).toMatchObject([{ message: MESSAGE, extensions: LOCKED }]);
      expect(holder.isValid).toBe(true);
    });

    it('tell the client what others do, and no more', async () => {
      await using holder = await app!.redlock.acquire('price:secret-id');
      const errors = await errorsOf(ask('price', 'secret-id'));
      expect(errors).toMatchObject([{ message: MESSAGE, extensions: LOCKED }]);
      expect(JSON.stringify(errors)).not.toContain('secret-id');
      expect(holder.isValid).toBe(true);
    });

    it('are what the method makes of them', async () => {
      await using holder = await app!.redlock.acquire('price:7');
      expect(await errorsOf(ask('fee'))).toMatchObject([
        { extensions: { code: 'MADE_OF_RESOURCE_LOCKED', type: 'none' } },
      ]);
      expect(holder.isValid).toBe(true);
    });
  });
});
