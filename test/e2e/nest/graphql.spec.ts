import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DynamicModule, INestApplication, ModuleMetadata } from '@nestjs/common';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { Endings } from '../../support/nest/endings.js';
import { closeSubscriptions, run, subscribe } from '../../support/nest/graphql-client.js';
import { Payments } from '../../support/nest/message-handlers.js';
import { holderOn, keysOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { graphql } from '../../support/nest/graphql-module.js';
import { News, Orders } from '../../support/nest/resolvers.js';
import { TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

describe('locked resolvers of two replicas', () => {
  const door = new Door();
  const news = new News();
  const endings = new Endings();
  let servers: RedisServer[];
  let [one, two]: TestApp[] = [];

  const start = (pool: DynamicModule): Promise<TestApp> => {
    const metadata: ModuleMetadata = {
      imports: [pool, graphql()],
      providers: [Orders, Payments, { provide: Door, useValue: door }, { provide: News, useValue: news }],
    };
    return TestApp.start('Express', metadata, (app: INestApplication) => {
      app.useGlobalInterceptors(endings);
      app.use((request: { user?: object }, _response: unknown, next: () => void) => {
        request.user = { id: 7 };
        next();
      });
    });
  };

  beforeAll(async () => {
    servers = await startRedisServers(3);
    [one, two] = await Promise.all([start(poolOn(servers)), start(poolOn(servers))]);
  });

  beforeEach(() => {
    door.reset();
    endings.all.length = 0;
    for (const app of [one!, two!]) app.log.clear();
  });

  afterEach(async () => {
    door.open();
    await closeSubscriptions();
  });

  afterAll(endAll);

  it.each(['query { order', 'mutation { pay', 'mutation { payByArgument', 'mutation { payByStream'])(
    'run the same operation one after the other, and free the lock: %s',
    async (operation) => {
      const [, , field] = operation.split(' ');
      const text = `${operation}(id: "${field}") { id } }`;
      door.shut();
      const replies = [run(one!, text)];
      await door.untilVisits(1);
      replies.push(run(two!, text));
      await two!.log.until('contended', `order:${field}`);
      expect([door.inside, await holderOn(servers, `order:${field}`)]).toEqual([1, expect.any(String)]);
      door.open();
      expect(await Promise.all(replies)).toEqual(Array(2).fill({ data: { [field!]: { id: field } } }));
      await untilFree(servers);
      expect(door.most).toBe(1);
    },
  );

  it('run several mutations of one request, each under its own lock', async () => {
    const { data } = await run(one!, 'mutation { a: pay(id: "a") { id } b: pay(id: "b") { id } }');
    expect(data).toEqual({ a: { id: 'a' }, b: { id: 'b' } });
    expect(one!.log.acquired).toEqual(['order:a', 'order:b']);
  });

  it('are locked by user and headers, too', async () => {
    expect(await run(one!, 'mutation { byUser }', { headers: { 'x-request': 'r' } })).toEqual({
      data: { byUser: 'done' },
    });
    expect(one!.log.acquired).toEqual(['user:7:r']);
  });

  it('are locked by the arguments as they came, or as pipes left them', async () => {
    const input = 'input: { email: " A@B.example " }';
    expect((await run(one!, `mutation { rawSignUp(${input}) }`)).data).toEqual({ rawSignUp: 'a@b.example' });
    expect((await run(one!, `mutation { signUp(${input}) }`)).data).toEqual({ signUp: 'a@b.example' });
    expect(one!.log.acquired).toEqual(['user: A@B.example ', 'user:a@b.example']);
    await untilFree(servers);
  });

  it('take no lock by an argument that pipes refuse', async () => {
    const { errors } = await run(one!, 'mutation { signUp(input: { email: "nobody" }) }');
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
    expect([one!.log.acquired, await keysOn(servers)]).toEqual([[], []]);
    await run(one!, 'mutation { rawSignUp(input: { email: "nobody" }) }');
    expect(one!.log.acquired).toEqual(['user:nobody']);
  });

  it('answer null where they skip', async () => {
    await using holder = await two!.redlock.acquire('order:skip');
    expect(await run(one!, 'mutation { skip(id: "skip") { id } }')).toEqual({ data: { skip: null } });
    expect(door.visits).toEqual([]);
    expect(holder.isValid).toBe(true);
  });

  describe.each(['pay', 'payByArgument', 'payByStream'])('whose client goes away from %s', (field) => {
    const resource = `order:${field}`;
    const text = `mutation { ${field}(id: "${field}") { id } }`;

    it('while it waits stop waiting, and leave the lock to its holder', async () => {
      const holder = await two!.redlock.acquire(resource);
      const client = new AbortController();
      const reply = run(one!, text, { signal: client.signal });
      await one!.log.until('contended', resource);
      client.abort();
      await expect(reply).rejects.toThrow(/aborted/);
      await endings.until(1);
      expect([endings.all, holder.isValid]).toMatchObject([[{ how: 'failed', error: { status: 499 } }], true]);
      await holder.release();
      await untilFree(servers);
      expect([door.visits, one!.log.acquired]).toEqual([[], []]);
    });

    it('while they run leave the lock held for as long as that takes', async () => {
      const client = new AbortController();
      door.shut();
      const reply = run(one!, text, { signal: client.signal });
      await door.untilVisits(1);
      client.abort();
      await expect(reply).rejects.toThrow(/aborted/);
      const rival = run(two!, text);
      await two!.log.until('contended', resource);
      expect(door.inside).toBe(1);
      door.open();
      expect((await rival).errors).toBeUndefined();
      expect(door.most).toBe(1);
    });
  });

  describe('of a subscription', () => {
    const text = (id: string): string => `subscription { placed(id: "${id}") }`;

    it('are locked while the subscription is made, not while it lasts', async () => {
      door.shut();
      const first = subscribe(one!, text('open'));
      const heard = first.events.next();
      await door.untilVisits(1);
      const second = subscribe(two!, text('open'));
      const alsoHeard = second.events.next();
      await two!.log.until('contended', 'order:open');
      expect([door.inside, await holderOn(servers, 'order:open')]).toEqual([1, expect.any(String)]);
      door.open();
      await door.untilVisits(2);
      await untilFree(servers);
      const tell = setInterval(() => void news.topic.publish('open', { placed: 'an order' }), 10);
      expect([await heard, await alsoHeard]).toEqual(
        Array(2).fill({ done: false, value: { data: { placed: 'an order' } } }),
      );
      clearInterval(tell);
      expect([door.most, await keysOn(servers)]).toEqual([1, []]);
    });

    it('stop waiting when the client goes away', async () => {
      const holder = await two!.redlock.acquire('order:gone');
      const { events, leave } = subscribe(one!, text('gone'));
      const end = events.next().then(
        () => 'heard',
        () => 'failed',
      );
      await one!.log.until('contended', 'order:gone');
      leave();
      expect(await end).toBe('failed');
      await endings.until(1);
      expect(endings.all).toMatchObject([{ how: 'failed', error: { status: 499 } }]);
      await holder.release();
      await untilFree(servers);
      expect([door.visits, one!.log.acquired]).toEqual([[], []]);
    });
  });
});
