import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ClientProxy, Transport } from '@nestjs/microservices';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { lastValueFrom } from 'rxjs';
import { RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { eventually } from '../../support/eventually.js';
import { run } from '../../support/nest/graphql-client.js';
import { graphql } from '../../support/nest/graphql-module.js';
import { CLOSED_PORTS, poolOn } from '../../support/nest/nodes.js';
import { closeSockets, SocketClient } from '../../support/nest/socket-client.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import {
  ask,
  closeMicroservices,
  connectClient,
  type Mode,
  TestMicroservice,
} from '../../support/nest/test-microservice.js';
import { type RedisServer, startRedisServers, stopAll } from '../../support/redis-server.js';
import { BookingGateway, BookingMessages, BookingResolver, Bookings, Seat } from './bookings.js';
import { Tally } from './orders.js';

describe('@Idempotent beside HTTP', () => {
  const tally = new Tally();
  const provided = { provide: Tally, useValue: tally };
  let servers: RedisServer[];
  let id: string;

  const imports = () => [
    poolOn(servers),
    RedlockIdempotencyModule.forRoot({ isGlobal: true, principal: '<headers.x-user>' }),
  ];

  beforeAll(async () => {
    servers = await startRedisServers(3);
  });

  beforeEach(() => {
    tally.reset();
    id = randomUUID();
  });

  afterAll(async () => {
    closeSockets();
    await closeMicroservices();
    await closeApps();
    await stopAll();
  });

  describe('a GraphQL mutation', () => {
    let [one, two]: TestApp[] = [];

    beforeAll(async () => {
      const metadata = () => ({ imports: [...imports(), graphql()], providers: [BookingResolver, provided] });
      [one, two] = await TestApp.pair('Express', metadata);
    });

    it('replays its dates, and runs the field resolvers again', async () => {
      const text = `mutation { book(id: "${id}") { id at note } }`;
      const replies = [await run(one!, text), await run(two!, text)];
      const book = { id, at: '2023-11-14T22:13:20.000Z', note: 'by a field resolver' };
      expect(replies).toEqual([{ data: { book } }, { data: { book } }]);
      expect(tally).toMatchObject({ runs: 1, guards: 2 });
    });

    it('refuses other arguments, a missing header and a broken one, with a code', async () => {
      const headers = { 'idempotency-key': id, 'x-user': 'ann' };
      const text = (of: string): string => `mutation { bookByHeader(id: "${of}") { id } }`;
      expect(await run(one!, text('1'), { headers })).toEqual({ data: { bookByHeader: { id: '1' } } });
      const replies = [
        await run(two!, text('2'), { headers }),
        await run(two!, text('1'), { headers: { 'x-user': 'ann' } }),
        await run(two!, text('1'), { headers: { ...headers, 'idempotency-key': 'k'.repeat(256) } }),
      ];
      expect(replies.map(({ errors }) => errors![0]!.extensions!['code'])).toEqual([
        'IDEMPOTENCY_KEY_REUSED',
        'IDEMPOTENCY_KEY_MISSING',
        'IDEMPOTENCY_KEY_INVALID',
      ]);
      expect(tally.runs).toBe(1);
      expect(await run(two!, text('1'), { headers: { ...headers, 'x-user': 'bob' } })).toHaveProperty('data');
      expect(tally.runs).toBe(2);
    });
  });

  describe.each<Mode>(['alone', 'beside', 'inheriting'])('a message of a microservice %s', (mode) => {
    let client: ClientProxy;

    beforeAll(async () => {
      const options = { transport: Transport.TCP as const, options: { host: '127.0.0.1', port: 0 } };
      const metadata = { imports: imports(), controllers: [BookingMessages], providers: [provided] };
      const service = await TestMicroservice.start(metadata, { options, mode });
      client = await connectClient({ transport: Transport.TCP, options: { host: '127.0.0.1', port: service.port } });
    });

    it('gets the reply of the first one', async () => {
      const replies = await Promise.all([ask(client, 'book', { id }), ask(client, 'book', { id })]);
      replies.push(await ask(client, 'book', { id }));
      expect(replies).toEqual(Array(3).fill({ values: [{ run: 1, attempt: 1 }] }));
    });

    it('is refused with other data', async () => {
      await ask(client, 'book', { id });
      expect(await ask(client, 'book', { id, more: 1 })).toEqual({
        error: expect.objectContaining({ status: 'error', code: 'IDEMPOTENCY_KEY_REUSED' }),
      });
    });

    it('gets the value of an Observable; a second value is an error, and does not run again', async () => {
      expect(await ask(client, 'book.stream', { id })).toEqual({ values: [1] });
      expect(await ask(client, 'book.stream', { id })).toEqual({ values: [1] });
      const many = { id: randomUUID() };
      expect(await ask(client, 'book.many', many)).toHaveProperty('error.message', 'Internal server error');
      expect(await ask(client, 'book.many', many)).toHaveProperty('error.code', 'IDEMPOTENCY_REPLY_NOT_KEPT');
      expect(tally.runs).toBe(2);
    });

    it('is skipped if it is an event that was handled', async () => {
      for (let delivery = 0; delivery < 5; delivery += 1)
        await lastValueFrom(client.emit('booked', { id }), { defaultValue: 0 });
      await ask(client, 'book', { id });
      await sleep(100);
      // One of the event, one of the message.
      expect(tally.runs).toBe(2);
    });
  });

  it('answers messages of a socket by the first acknowledgement', async () => {
    const metadata = { imports: imports(), providers: [BookingGateway, provided] };
    const app = await TestApp.start('Express', metadata, (one) => one.useWebSocketAdapter(new IoAdapter(one)));
    const client = await SocketClient.overSocketIo(app.url);
    const replies = [await client.ask('book', { id }), await client.ask('book', { id })];
    expect(replies).toEqual(Array(2).fill({ event: 'booked', data: { run: 1 } }));
    expect(await client.ask('book', { id, other: true })).toEqual({
      event: 'exception',
      data: expect.objectContaining({ status: 'error', code: 'IDEMPOTENCY_KEY_REUSED' }),
    });
    expect(tally.runs).toBe(1);
  });

  describe('a method of a provider', () => {
    let [one, two]: Bookings[] = [];

    beforeAll(async () => {
      const metadata = () => ({ imports: imports(), providers: [Bookings, provided] });
      const apps = await TestApp.pair('Express', metadata);
      [one, two] = apps.map(({ app }) => app.get(Bookings));
    });

    it('gets equal values of equal types, and the call', async () => {
      const values = [await one!.take({ id }), await two!.take({ id })];
      const expected = { at: new Date(0), map: new Map([[1, 2n]]), none: undefined, attempt: 1 };
      expect(values).toStrictEqual([expected, expected]);
      expect(tally.runs).toBe(1);
    });

    it('may return an Observable', async () => {
      expect([await lastValueFrom(one!.takeStream(id)), await lastValueFrom(two!.takeStream(id))]).toEqual([1, 1]);
    });

    it('fails at the first call by an instance of a class, and does not run again', async () => {
      await expect(one!.takeSeat(id)).rejects.toThrow(TypeError);
      await expect(two!.takeSeat(id)).rejects.toMatchObject({ code: 'IDEMPOTENCY_REPLY_NOT_KEPT' });
      expect(tally.runs).toBe(1);
    });

    it('returns an instance by a codec, and compares what it is told to', async () => {
      expect([await one!.takeById(id, 1), await two!.takeById(id, 1)]).toStrictEqual([new Seat(7), new Seat(7)]);
      await expect(two!.takeById(id, 2)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    });

    it('cannot wait for itself', async () => {
      await expect(one!.takeItself(id)).rejects.toThrow(TypeError);
    });

    it('fails without a module', async () => {
      await expect(new Bookings(tally).take({ id })).rejects.toMatchObject({ code: 'NO_SERVICE' });
    });
  });

  it('tells the transport of an event that it could not be handled', async () => {
    const options = { transport: Transport.TCP as const, options: { host: '127.0.0.1', port: 0 } };
    const pool = poolOn(CLOSED_PORTS, { defaults: { waitTimeout: 0 } });
    const metadata = {
      imports: [pool, RedlockIdempotencyModule.forRoot({ isGlobal: true })],
      controllers: [BookingMessages],
      providers: [provided],
    };
    const service = await TestMicroservice.start(metadata, { options });
    const client = await connectClient({
      transport: Transport.TCP,
      options: { host: '127.0.0.1', port: service.port },
    });
    TestMicroservice.logged.length = 0;
    await lastValueFrom(client.emit('booked', { id }), { defaultValue: 0 });
    const reply = await ask(client, 'book', { id });
    expect(reply).toHaveProperty('error.code', 'QUORUM_NOT_REACHED');
    const warned = { level: 'warn', message: expect.stringContaining('No quorum for "booked:*"') };
    await eventually(() => expect(TestMicroservice.logged).toContainEqual(warned));
    expect(tally.runs).toBe(0);
  });
});
