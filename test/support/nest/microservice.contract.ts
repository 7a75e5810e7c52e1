import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { withRedis } from '../redis-client.js';
import { describeEvents } from './microservice-events.contract.js';
import { KEY_MESSAGE } from './key-message.js';
import { MicroservicePair, type Transport } from './microservice-pair.js';
import { holderOn, untilFree } from './nodes.js';
import { ask } from './test-microservice.js';
import { Watched } from './watched.js';

const TOLD = { status: 'error', message: 'Another request is working on this resource', code: 'RESOURCE_LOCKED' };

/** What holds for locked handlers of microservices, whatever the transport. */
export function describeMicroservice(transport: Transport): void {
  describe(`two replicas of a microservice over ${transport.name}`, () => {
    const pair = new MicroservicePair(transport);

    beforeAll(() => pair.start());
    beforeEach(() => pair.reset());
    afterAll(() => pair.stop());

    it.each(['promise', 'above', 'by-argument', 'observable'])(
      'answers the same message one after the other, and frees the lock: %s',
      async (pattern) => {
        pair.door.shut();
        const replies = pair.askBoth(pattern, { id: pattern });
        await pair.door.untilVisits(1);
        await pair.contended(pattern);
        expect([pair.door.inside, await holderOn(pair.servers, `order:${pattern}`)]).toEqual([1, expect.any(String)]);
        pair.door.open();
        for (const { values = [] } of await replies) {
          // A client takes what arrives until it has heard that this was all, also from a second replica that got the message.
          const { length } = pair.transport.broadcasts ? values.slice(0, 2) : [1];
          expect([values, length > 0]).toEqual([Array(length).fill({ id: pattern }), true]);
        }
        await pair.door.untilVisits(2);
        await untilFree(pair.servers);
        expect(pair.door.most).toBe(1);
      },
    );

    it('holds the lock for as long as a stream is open', async () => {
      const replies = ask(pair.one.client, 'feed', { id: 'feed' });
      await pair.feed.watched.untilSubscribed();
      pair.feed.watched.next('first');
      expect([pair.feed.watched.subscriptions, await holderOn(pair.servers, 'order:feed')]).toEqual([
        1,
        expect.any(String),
      ]);
      pair.feed.watched.next('second');
      const mine = pair.feed.watched;
      // Where there is another replica that got the message, it is its turn after that.
      pair.feed.watched = new Watched();
      mine.complete();
      expect(await replies).toEqual({ values: ['first', 'second'] });
      if (pair.transport.broadcasts) {
        await pair.feed.watched.untilSubscribed();
        pair.feed.watched.error(new Error('nobody hears of it'));
      }
      await untilFree(pair.servers);
      expect([mine.subscribers, pair.feed.watched.subscribers]).toEqual([0, 0]);
    });

    it('gives the handler its lock', async () => {
      expect((await ask(pair.one.client, 'lock', { id: 'given' })).values?.[0]).toEqual(['order:given']);
    });

    it.each(['reject', 'reject-by-argument', 'inner', 'inner-of-locked'])(
      'tells the client when another caller holds the lock, and when to come again: %s',
      async (pattern) => {
        await using holder = await pair.two.service.redlock.acquire(`order:${pattern}`, { ttl: 5_000 });
        const { error } = await ask(pair.one.client, pattern, { id: pattern });
        expect(error).toEqual({ ...TOLD, retryAfter: expect.any(Number) });
        const { retryAfter } = error as { retryAfter: number };
        expect([retryAfter > 0, retryAfter <= 5_000, Number.isInteger(retryAfter)]).toEqual([true, true, true]);
        // Before the lock is free again: a second replica that got the message must not get it.
        await pair.allContended(pattern);
        expect([pair.door.visits, holder.isValid, pair.logged('error')]).toEqual([[], true, []]);
      },
    );

    it.each(['promise', 'by-argument', 'inner'])(
      'tells the client where no quorum can be reached: %s',
      async (pattern) => {
        const { error } = await ask(pair.cut.client, pattern, { id: 'secret-id' });
        expect(error).toEqual({
          status: 'error',
          message: 'The lock service is not available',
          code: 'QUORUM_NOT_REACHED',
          retryAfter: 1_000,
        });
        expect(pair.door.visits).toEqual([]);
      },
    );

    it.each(['promise', 'by-argument'])(
      'tells the client that the key cannot be made, and nothing of it: %s',
      async (pattern) => {
        const { error } = await ask(pair.one.client, pattern, { other: 5 });
        expect(error).toEqual({ status: 'error', message: KEY_MESSAGE, code: 'LOCK_KEY' });
        expect(pair.door.visits).toEqual([]);
      },
    );

    it('tells the client where the lock is lost under way', async () => {
      pair.door.shut();
      const reply = ask(pair.one.client, 'short', { id: 'lost' });
      await pair.door.untilVisits(1);
      await Promise.all(
        pair.servers.map(({ url }) => withRedis(url, (redis) => redis.set('lock:order:lost', 'stolen'))),
      );
      expect((await reply).error).toEqual({
        status: 'error',
        message: expect.stringContaining('was interrupted'),
        code: 'LOCK_LOST',
      });
      pair.door.open();
      await Promise.all(pair.servers.map(({ url }) => withRedis(url, (redis) => redis.del('lock:order:lost'))));
    });

    it('takes nothing from the errors of the handler', async () => {
      expect(await ask(pair.one.client, 'business', { id: 'own' })).toEqual({ error: { mine: 'sold out' } });
      expect(await ask(pair.one.client, 'failure', { id: 'own' })).toEqual({
        error: { status: 'error', message: 'Internal server error' },
      });
      await untilFree(pair.servers);
    });

    it.each(['CLOSED', 'LOCK_KEY', 'RESOURCE_LOCKED'])(
      'takes an error of the handler for none of a lock, though it has the code of one: %s',
      async (code) => {
        const { error } = await ask(pair.one.client, 'coded', { id: 'coded', code });
        expect(error).toEqual({ status: 'error', message: 'Internal server error' });
        await untilFree(pair.servers);
      },
    );

    it('throws what the method says for its lock', async () => {
      await using holder = await pair.two.service.redlock.acquire('order:made');
      const { error } = await ask(pair.one.client, 'made', { id: 'made' });
      expect(error).toEqual({ status: 'error', message: 'RESOURCE_LOCKED in rpc' });
      expect(holder.isValid).toBe(true);
    });

    describeEvents(pair);
  });
}
