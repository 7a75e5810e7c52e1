import { describe, expect, it } from '@jest/globals';
import type { RedisServer } from '../redis-server.js';
import type { Door } from './door.js';
import { endings } from './gateway.js';
import type { Feed } from './message-handlers.js';
import { holderOn, untilFree } from './nodes.js';
import type { SocketClient } from './socket-client.js';
import type { TestApp } from './test-app.js';

/** Two replicas, and a client of the first. */
interface Stage {
  readonly one: TestApp;
  readonly two: TestApp;
  readonly client: SocketClient;
  readonly servers: RedisServer[];
  readonly door: Door;
  readonly feed: Feed;
  connect(url: string): Promise<SocketClient>;
  /** What the first one has locked. */
  acquired(): unknown[];
}

/** What holds where a client disconnects. */
export function describeLeaving(stage: () => Stage): void {
  describe('whose client goes away', () => {
    it.each(['promise', 'by-argument', 'observable', 'feed'])(
      'while it waits stops waiting, and leaves the lock to its holder: %s',
      async (event) => {
        const holder = await stage().one.redlock.acquire(`order:${event}`);
        stage().client.send(event, { id: event });
        await stage().one.log.until('contended', `order:${event}`);
        stage().client.close();
        await endings.until(1);
        expect([endings.all.map(({ how }) => how), holder.isValid]).toEqual([['left'], true]);
        await holder.release();
        await untilFree(stage().servers);
        // A caller that still waited would have had the lock before this one.
        await (await stage().one.redlock.acquire(`order:${event}`)).release();
        expect([stage().acquired().length, stage().door.visits, stage().feed.watched.subscriptions]).toEqual([
          2,
          [],
          0,
        ]);
      },
    );

    it.each(['promise', 'thenable', 'by-argument'])(
      'while a method runs that cannot be stopped leaves the lock held for as long as that takes: %s',
      async (event) => {
        stage().door.shut();
        stage().client.send(event, { id: event });
        await stage().door.untilVisits(1);
        const holding = await holderOn(stage().servers, `order:${event}`);
        stage().client.close();
        await endings.until(1);
        const rival = (await stage().connect(stage().two.url)).ask(event, { id: event });
        await stage().two.log.until('contended', `order:${event}`);
        expect([stage().door.inside, await holderOn(stage().servers, `order:${event}`)]).toEqual([1, holding]);
        stage().door.open();
        expect(await rival).toEqual({ event: 'done', data: event });
        expect(stage().door.most).toBe(1);
        await untilFree(stage().servers);
      },
    );

    it('while a stream is open ends that, and frees the lock', async () => {
      stage().client.send('feed', { id: 'feed' });
      await stage().feed.watched.untilSubscribed();
      stage().feed.watched.next('first');
      await stage().client.until(1);
      expect(await holderOn(stage().servers, 'order:feed')).toEqual(expect.any(String));
      stage().client.close();
      await untilFree(stage().servers);
      expect([stage().client.received, stage().feed.watched.subscribers]).toEqual([
        [{ event: 'fed', data: 'first' }],
        0,
      ]);
    });
  });
}
