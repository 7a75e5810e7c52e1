import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DynamicModule, INestApplication, ModuleMetadata } from '@nestjs/common';
import { startRedisServers, type RedisServer } from '../redis-server.js';
import { Door } from './door.js';
import { endAll } from './end-all.js';
import { endings, Gateway } from './gateway.js';
import { KEY_MESSAGE } from './key-message.js';
import { Feed, Payments } from './message-handlers.js';
import { CLOSED_PORTS, holderOn, keysOn, poolOn, untilFree } from './nodes.js';
import { closeSockets, type SocketClient } from './socket-client.js';
import { TestApp } from './test-app.js';
import { describeLeaving } from './websocket-leaving.contract.js';
import { Watched } from './watched.js';

export interface Sockets {
  readonly name: string;
  adapt(app: INestApplication): void;
  connect(url: string): Promise<SocketClient>;
}

const TOLD = { status: 'error', message: 'Another request is working on this resource', code: 'RESOURCE_LOCKED' };

/** What holds for locked handlers of a gateway, whatever its sockets are. */
export function describeGateway({ name, adapt, connect }: Sockets): void {
  describe(`a gateway of ${name}`, () => {
    const door = new Door();
    const feed = new Feed();
    let servers: RedisServer[];
    let [one, two, cut, making]: TestApp[] = [];
    let client: SocketClient;
    const start = (pool: DynamicModule): Promise<TestApp> => {
      const providers = [Gateway, Payments, { provide: Door, useValue: door }, { provide: Feed, useValue: feed }];
      return TestApp.start('Express', { imports: [pool], providers } satisfies ModuleMetadata, adapt);
    };
    const acquired = (): unknown[] => one!.log.acquired;

    beforeAll(async () => {
      servers = await startRedisServers(3);
      [one, two] = await Promise.all([start(poolOn(servers)), start(poolOn(servers))]);
      cut = await start(poolOn(CLOSED_PORTS, { defaults: { waitTimeout: 0 } }));
      making = await start(
        poolOn(servers, { exceptionFactory: ({ code }) => Object.assign(new Error(), { getError: () => code }) }),
      );
    });

    beforeEach(async () => {
      door.reset();
      feed.watched = new Watched();
      endings.all.length = 0;
      for (const app of [one!, two!]) app.log.clear();
      client = await connect(one!.url);
    });

    afterEach(() => {
      door.open();
      closeSockets();
    });

    afterAll(endAll);

    it.each(['promise', 'by-argument', 'observable'])(
      'answers the same message to two replicas one after the other, and frees the lock: %s',
      async (event) => {
        const other = await connect(two!.url);
        door.shut();
        const replies = [client.ask(event, { id: event })];
        await door.untilVisits(1);
        replies.push(other.ask(event, { id: event }));
        await two!.log.until('contended', `order:${event}`);
        expect([door.inside, await holderOn(servers, `order:${event}`)]).toEqual([1, expect.any(String)]);
        door.open();
        expect(await Promise.all(replies)).toEqual(Array(2).fill({ event: 'done', data: event }));
        await untilFree(servers);
        expect(door.most).toBe(1);
      },
    );

    it.each(['reject', 'reject-by-argument', 'inner-of-locked', 'inner-with-filter'])(
      'tells the client when another caller holds the lock, and when to come again: %s',
      async (event) => {
        await using holder = await two!.redlock.acquire(`order:${event}`, { ttl: 5_000 });
        const reply = await client.ask(event, { id: event });
        expect(reply).toEqual({ event: 'exception', data: { ...TOLD, retryAfter: expect.any(Number) } });
        expect([door.visits, holder.isValid]).toEqual([[], true]);
      },
    );

    // Nest asks no filter of the application for messages of sockets.
    it('knows nothing of locks further in where the handler has neither a lock nor a filter', async () => {
      await using holder = await two!.redlock.acquire('order:inner');
      const { event, data } = await client.ask('inner', { id: 'inner' });
      expect([event, data]).toMatchObject(['exception', { status: 'error', message: 'Internal server error' }]);
      expect(holder.isValid).toBe(true);
    });

    it.each(['promise', 'by-argument'])('tells the client where no quorum can be reached: %s', async (event) => {
      expect(await (await connect(cut!.url)).ask(event, { id: 'secret-id' })).toEqual({
        event: 'exception',
        data: {
          status: 'error',
          message: 'The lock service is not available',
          code: 'QUORUM_NOT_REACHED',
          retryAfter: 1_000,
        },
      });
    });

    it.each(['promise', 'by-argument', 'by-user'])(
      'tells the client that the key cannot be made, and nothing of it: %s',
      async (event) => {
        expect(await client.ask(event, { other: 5 })).toEqual({
          event: 'exception',
          data: { status: 'error', message: KEY_MESSAGE, code: 'LOCK_KEY' },
        });
        expect(door.visits).toEqual([]);
      },
    );

    it('locks by the user that the connection belongs to', async () => {
      await client.ask('sign-in', 7);
      expect(await client.ask('by-user', {})).toEqual({ event: 'done', data: 'by-user' });
      expect(acquired()).toEqual(['user:7']);
    });

    it('takes nothing from the errors of the handler, and says nothing where it skips', async () => {
      expect(await client.ask('business', { id: 'own' })).toEqual({ event: 'exception', data: { mine: 'sold out' } });
      await using holder = await two!.redlock.acquire('order:skip');
      client.send('skip', { id: 'skip' });
      await endings.until(2);
      await client.ask('sign-in', 1);
      expect([client.received.map(({ event }) => event), door.visits]).toEqual([['exception', 'signed-in'], []]);
      expect(holder.isValid).toBe(true);
    });

    it.each(['CLOSED', 'LOCK_KEY', 'RESOURCE_LOCKED'])(
      'takes an error of the handler for none of a lock, though it has the code of one: %s',
      async (code) => {
        const reply = await client.ask('coded', { id: 'coded', code });
        expect(reply).toEqual({ event: 'exception', data: { mine: 'sold out' } });
      },
    );

    it('throws what method or module make of the errors of locks', async () => {
      await using holder = await two!.redlock.acquire('order:made');
      const data = { made: 'RESOURCE_LOCKED', type: 'ws' };
      expect(await client.ask('made', { id: 'made' })).toEqual({ event: 'exception', data });
      const other = await connect(making!.url);
      expect(await other.ask('made', { id: 'made' })).toEqual({ event: 'exception', data });
      expect(await other.ask('inner-with-filter', { id: 'made' })).toEqual({
        event: 'exception',
        data: { status: 'error', message: 'RESOURCE_LOCKED' },
      });
      expect(holder.isValid).toBe(true);
    });

    it('locks by the data as they came, or by the argument as pipes left it, and not by one that they refuse', async () => {
      const email = ' A@B.example ';
      expect(await client.ask('raw-sign-up', { email })).toEqual({ event: 'done', data: 'a@b.example' });
      expect(await client.ask('sign-up', { email })).toEqual({ event: 'done', data: 'a@b.example' });
      expect(acquired()).toEqual(['user: A@B.example ', 'user:a@b.example']);
      await untilFree(servers);
      one!.log.clear();
      expect(await client.ask('sign-up', { email: 'nobody' })).toMatchObject({ data: { message: 'invalid' } });
      expect([acquired(), await keysOn(servers)]).toEqual([[], []]);
    });

    describeLeaving(() => ({ one: one!, two: two!, client, servers, door, feed, connect, acquired }));
  });
}
