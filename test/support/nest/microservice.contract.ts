import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ModuleMetadata } from '@nestjs/common';
import type { ClientProxy } from '@nestjs/microservices';
import { eventually } from '../eventually.js';
import { withRedis } from '../redis-client.js';
import { startRedisServers, stopAll, type RedisServer } from '../redis-server.js';
import { Door } from './door.js';
import type { EventLog } from './event-log.js';
import { Feed, MessageHandlers, Payments } from './message-handlers.js';
import { CLOSED_PORTS, holderOn, keysOn, poolOn, untilFree } from './nodes.js';
import { ask, closeMicroservices, TestMicroservice, type RpcReply } from './test-microservice.js';
import { Watched } from './watched.js';

/** One replica of a service, and a client that talks to it; with some transports a client talks to all replicas at once. */
export interface Station {
  readonly service: TestMicroservice;
  readonly client: ClientProxy;
}

export interface Transport {
  readonly name: string;
  /** True where every message goes to every replica. */
  readonly broadcasts: boolean;
  /** Starts a replica; those with the same channel are one service. */
  start(metadata: ModuleMetadata, channel: string): Promise<Station>;
  prepare?(): Promise<void>;
}

const TOLD = { status: 'error', message: 'Another request is working on this resource', code: 'RESOURCE_LOCKED' };

/** What holds for locked handlers of microservices, whatever the transport. */
export function describeMicroservice(transport: Transport): void {
  describe(`two replicas of a microservice over ${transport.name}`, () => {
    const door = new Door();
    const feed = new Feed();
    let servers: RedisServer[];
    let [one, two, cut]: Station[] = [];
    let logs: EventLog[];
    const metadata = (pool = poolOn(servers)): ModuleMetadata => ({
      imports: [pool],
      controllers: [MessageHandlers],
      providers: [Payments, { provide: Door, useValue: door }, { provide: Feed, useValue: feed }],
    });
    /** The same message to both replicas at once. */
    const askBoth = (pattern: string, data: object): Promise<RpcReply[]> => {
      const stations = transport.broadcasts ? [one!] : [one!, two!];
      return Promise.all(stations.map(({ client }) => ask(client, pattern, data)));
    };
    const emitBoth = (pattern: string, data: object): void => {
      for (const { client } of transport.broadcasts ? [one!] : [one!, two!]) client.emit(pattern, data);
    };
    const contended = (id: string): Promise<void> =>
      Promise.race(logs.map((log) => log.until('contended', `order:${id}`)));
    const logged = (level: string): unknown[] => TestMicroservice.logged.filter((line) => line.level === level);

    beforeAll(async () => {
      await transport.prepare?.();
      servers = await startRedisServers(3);
      [one, two] = await Promise.all([transport.start(metadata(), 'a'), transport.start(metadata(), 'a')]);
      cut = await transport.start(metadata(poolOn(CLOSED_PORTS, { defaults: { waitTimeout: 0 } })), 'b');
    });

    beforeEach(() => {
      door.reset();
      feed.watched = new Watched();
      logs = [one!, two!].map(({ service }) => service.follow());
      TestMicroservice.logged.length = 0;
    });

    afterAll(async () => {
      door.open();
      await closeMicroservices();
      await stopAll();
    });

    it.each(['promise', 'above', 'by-argument', 'observable'])(
      'answers the same message one after the other, and frees the lock: %s',
      async (pattern) => {
        door.shut();
        const replies = askBoth(pattern, { id: pattern });
        await door.untilVisits(1);
        await contended(pattern);
        expect([door.inside, await holderOn(servers, `order:${pattern}`)]).toEqual([1, expect.any(String)]);
        door.open();
        for (const { values } of await replies) expect(values).toEqual([{ id: pattern }]);
        await door.untilVisits(2);
        await untilFree(servers);
        expect(door.most).toBe(1);
      },
    );

    it('holds the lock for as long as a stream is open', async () => {
      const replies = ask(one!.client, 'feed', { id: 'feed' });
      await feed.watched.untilSubscribed();
      feed.watched.next('first');
      expect([feed.watched.subscriptions, await holderOn(servers, 'order:feed')]).toEqual([1, expect.any(String)]);
      feed.watched.next('second');
      const mine = feed.watched;
      // Where there is another replica that got the message, it is its turn after that.
      feed.watched = new Watched();
      mine.complete();
      expect(await replies).toEqual({ values: ['first', 'second'] });
      if (transport.broadcasts) {
        await feed.watched.untilSubscribed();
        feed.watched.error(new Error('nobody hears of it'));
      }
      await untilFree(servers);
      expect([mine.subscribers, feed.watched.subscribers]).toEqual([0, 0]);
    });

    it('gives the handler its lock', async () => {
      expect((await ask(one!.client, 'lock', { id: 'given' })).values?.[0]).toEqual(['order:given']);
    });

    it.each(['reject', 'reject-by-argument', 'inner', 'inner-of-locked'])(
      'tells the client where somebody else holds the lock, and when to come again: %s',
      async (pattern) => {
        await using holder = await two!.service.redlock.acquire(`order:${pattern}`, { ttl: 5_000 });
        const { error } = await ask(one!.client, pattern, { id: pattern });
        expect(error).toEqual({ ...TOLD, retryAfter: expect.any(Number) });
        const { retryAfter } = error as { retryAfter: number };
        expect([retryAfter > 0, retryAfter <= 5_000, Number.isInteger(retryAfter)]).toEqual([true, true, true]);
        expect([door.visits, holder.isValid, logged('error')]).toEqual([[], true, []]);
      },
    );

    it.each(['promise', 'by-argument', 'inner'])(
      'tells the client where no quorum can be reached: %s',
      async (pattern) => {
        const { error } = await ask(cut!.client, pattern, { id: 'secret-id' });
        expect(error).toEqual({
          status: 'error',
          message: 'The lock service is not available',
          code: 'QUORUM_NOT_REACHED',
        });
        expect(door.visits).toEqual([]);
      },
    );

    it.each([
      ['promise', /data\.id is missing/],
      ['by-argument', /args\.0\.id is missing|^0\.id is missing/],
      ['by-body', /<body\.id> reads from an HTTP request, and this is a message of a microservice: use <data\.\.\.>/],
    ])('tells the client what is wrong with the key: %s', async (pattern, message) => {
      const { error } = await ask(one!.client, pattern, { other: 5 });
      expect(error).toEqual({ status: 'error', message: expect.stringMatching(message), code: 'LOCK_KEY' });
      expect(door.visits).toEqual([]);
    });

    it('tells the client where the lock is lost under way', async () => {
      door.shut();
      const reply = ask(one!.client, 'short', { id: 'lost' });
      await door.untilVisits(1);
      await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.set('lock:order:lost', 'stolen'))));
      expect((await reply).error).toEqual({
        status: 'error',
        message: expect.stringContaining('was lost'),
        code: 'LOCK_LOST',
      });
      door.open();
      await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.del('lock:order:lost'))));
    });

    it('takes nothing from the errors of the handler', async () => {
      expect(await ask(one!.client, 'business', { id: 'own' })).toEqual({ error: { mine: 'sold out' } });
      expect(await ask(one!.client, 'failure', { id: 'own' })).toEqual({
        error: { status: 'error', message: 'Internal server error' },
      });
      await untilFree(servers);
    });

    it('throws what the method says for its lock', async () => {
      await using _holder = await two!.service.redlock.acquire('order:made');
      const { error } = await ask(one!.client, 'made', { id: 'made' });
      expect(error).toEqual({ status: 'error', message: 'RESOURCE_LOCKED in rpc' });
    });

    describe('with events', () => {
      it('handles them one after the other', async () => {
        door.shut();
        emitBoth('event', { id: 'event' });
        await door.untilVisits(1);
        await contended('event');
        expect(door.inside).toBe(1);
        door.open();
        await door.untilVisits(2);
        await untilFree(servers);
        expect(door.most).toBe(1);
      });

      it('handles one of them, where the others skip', async () => {
        door.shut();
        emitBoth('once', { id: 'once' });
        await door.untilVisits(1);
        await contended('once');
        door.open();
        await untilFree(servers);
        expect(door.visits).toEqual(['once']);
      });

      it('says so in the log, where one is refused: nobody else hears of it', async () => {
        await using _holder = await two!.service.redlock.acquire('order:refused');
        emitBoth('refused', { id: 'refused' });
        await eventually(() => expect(logged('warn')).toHaveLength(2));
        expect(logged('warn')[0]).toMatchObject({ message: expect.stringContaining('"order:refused" is locked') });
        expect(door.visits).toEqual([]);
      });
    });

    describe('with pipes', () => {
      const acquired = (): unknown[] =>
        logs.flatMap(({ events }) => events).flatMap((event) => (event.type === 'acquired' ? event.resources : []));

      it('locks by the data as they came, or by the argument as pipes left it', async () => {
        const email = ' A@B.example ';
        expect((await ask(one!.client, 'raw-sign-up', { email })).values?.[0]).toBe('a@b.example');
        expect((await ask(one!.client, 'sign-up', { email })).values?.[0]).toBe('a@b.example');
        expect(new Set(acquired())).toEqual(new Set(['user: A@B.example ', 'user:a@b.example']));
      });

      it('takes no lock by an argument that pipes refuse', async () => {
        expect((await ask(one!.client, 'sign-up', { email: 'nobody' })).error).toMatchObject({ message: 'invalid' });
        expect([acquired(), await keysOn(servers)]).toEqual([[], []]);
        expect((await ask(one!.client, 'raw-sign-up', { email: 'nobody' })).error).toMatchObject({
          message: 'invalid',
        });
        expect(acquired()).toContain('user:nobody');
        await untilFree(servers);
      });
    });
  });
}
