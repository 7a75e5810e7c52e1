import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Post, type INestApplication } from '@nestjs/common';
import { Transport, type ClientProxy } from '@nestjs/microservices';
import { WsAdapter } from '@nestjs/platform-ws';
import { WithLock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { Gateway } from '../../support/nest/gateway.js';
import { run } from '../../support/nest/graphql-client.js';
import { Feed, MessageHandlers, Payments, type Order } from '../../support/nest/message-handlers.js';
import { poolOn, untilFree } from '../../support/nest/nodes.js';
import { graphql } from '../../support/nest/graphql-module.js';
import { News, Orders } from '../../support/nest/resolvers.js';
import { closeSockets, SocketClient } from '../../support/nest/socket-client.js';
import { TestApp } from '../../support/nest/test-app.js';
import { ask, closeMicroservices, connectClient } from '../../support/nest/test-microservice.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

@Controller()
class Routes {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Post('promise')
  @WithLock('order:<body.id>')
  async promise(@Body() { id }: Order): Promise<object> {
    await this.door.pass(id);
    return { id };
  }
}

describe('an application of HTTP, GraphQL, a microservice and a gateway', () => {
  const door = new Door();
  let servers: RedisServer[];
  let app: TestApp;
  let client: ClientProxy;
  let socket: SocketClient;

  beforeAll(async () => {
    servers = await startRedisServers(3);
    let port = 0;
    const listen = async (nest: INestApplication): Promise<void> => {
      nest.useWebSocketAdapter(new WsAdapter(nest));
      const service = nest.connectMicroservice({ transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } });
      await nest.startAllMicroservices();
      port = service.unwrap<{ address(): { port: number } }>().address().port;
    };
    let started: Promise<void> | undefined;
    app = await TestApp.start(
      'Express',
      {
        imports: [poolOn(servers), graphql({ subscriptions: {} })],
        controllers: [Routes, MessageHandlers],
        providers: [Orders, Gateway, Payments, Feed, News, { provide: Door, useValue: door }],
      },
      (nest) => {
        started = listen(nest);
      },
    );
    await started;
    client = await connectClient({ transport: Transport.TCP, options: { host: '127.0.0.1', port } });
    socket = await SocketClient.overWebSocket(app.url);
  });

  afterAll(async () => {
    closeSockets();
    await closeMicroservices();
    await endAll();
  });

  it('has one lock for one key, by whatever way a call comes', async () => {
    door.shut();
    const replies: Promise<unknown>[] = [app.post('promise', { id: '7' })];
    await door.untilVisits(1);
    replies.push(run(app, 'mutation { pay(id: "7") { id } }'));
    replies.push(ask(client, 'promise', { id: '7' }));
    replies.push(socket.ask('promise', { id: '7' }));
    await app.log.until('contended', 'order:7', 3);
    expect(door.inside).toBe(1);
    door.open();
    expect(await Promise.all(replies)).toEqual([
      expect.objectContaining({ status: 201 }),
      { data: { pay: { id: '7' } } },
      { values: [{ id: '7' }] },
      { event: 'done', data: '7' },
    ]);
    expect([door.most, door.visits.length]).toEqual([1, 4]);
    await untilFree(servers);
  });

  it('tells each client in its own way that the lock is held', async () => {
    await using holder = await app.redlock.acquire('order:8');
    const id = '8';
    const code = 'RESOURCE_LOCKED';
    expect((await run(app, `mutation { reject(id: "${id}") { id } }`)).errors).toMatchObject([
      { extensions: { code } },
    ]);
    expect((await ask(client, 'reject', { id })).error).toMatchObject({ status: 'error', code });
    expect(await socket.ask('reject', { id })).toMatchObject({ event: 'exception', data: { status: 'error', code } });
    expect(holder.isValid).toBe(true);
  });
});
