import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, Param, Sse, type MessageEvent } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { Observable } from 'rxjs';
import { endAll } from '../../support/nest/end-all.js';
import { open, send } from '../../support/nest/http-client.js';
import { holderOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { Watched } from '../../support/nest/watched.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

/** The events and their subscribers; made again for each test. */
class Feed {
  watched = new Watched<MessageEvent>();
}

@Controller()
class Feeds {
  constructor(@Inject(Feed) private readonly feed: Feed) {}

  @Sse('by-request/:id')
  @WithLock('feed:<params.id>', { onContended: 'reject' })
  byRequest(): Observable<MessageEvent> {
    return this.feed.watched.stream;
  }

  @WithLock('feed:<0>', { onContended: 'reject' })
  @Sse('by-argument/:id')
  byArgument(@Param('id') _id: string): Observable<MessageEvent> {
    return this.feed.watched.stream;
  }

  @Sse('undeclared/:id')
  @WithLock('feed:<params.id>', { onContended: 'reject' })
  undeclared() {
    return this.feed.watched.stream;
  }

  @Sse('promise/:id')
  @WithLock('feed:<params.id>', { onContended: 'reject' })
  async promise(): Promise<Observable<MessageEvent>> {
    return this.feed.watched.stream;
  }

  @Get('probe/:id')
  @WithLock('feed:<params.id>', { onContended: 'reject' })
  async probe(): Promise<string> {
    return 'free';
  }
}

describe.each(PLATFORMS)('a locked stream of server-sent events on %s', (platform) => {
  const feed = new Feed();
  let servers: RedisServer[];
  let app: TestApp;

  beforeAll(async () => {
    servers = await startRedisServers(3);
    app = await TestApp.start(platform, {
      imports: [poolOn(servers)],
      controllers: [Feeds],
      providers: [{ provide: Feed, useValue: feed }],
    });
  });

  beforeEach(() => {
    feed.watched = new Watched();
  });

  afterAll(endAll);

  describe.each(['by-request', 'by-argument', 'undeclared', 'promise'])('%s', (route) => {
    const path = `${route}/7`;

    /** An open stream, and one event read from it. */
    async function follow(signal?: AbortSignal): Promise<{ response: IncomingMessage; first: string }> {
      const opening = open(`${app.url}/${path}`, { ...(signal && { signal }) });
      await feed.watched.untilSubscribed();
      feed.watched.next({ data: 'one' });
      const response = await opening;
      const [chunk] = (await once(response.setEncoding('utf8'), 'data')) as [string];
      return { response, first: chunk };
    }

    it('holds the lock while it is open, and frees it when it completes', async () => {
      const { response, first } = await follow();
      expect(response.headers['content-type']).toMatch('text/event-stream');
      const rest = text(response);
      expect(await holderOn(servers, 'feed:7')).toEqual(expect.any(String));
      expect((await app.get('probe/7')).status).toBe(409);
      feed.watched.next({ data: 'two' });
      feed.watched.complete();
      expect(first + (await rest)).toMatch(/data: one[^]*data: two/);
      await untilFree(servers);
      expect((await app.get('probe/7')).body).toBe('free');
    });

    it('frees the lock when the client goes away', async () => {
      const client = new AbortController();
      const { response } = await follow(client.signal);
      response.on('error', () => undefined);
      client.abort();
      await untilFree(servers);
      expect(feed.watched.subscribers).toBe(0);
    });

    it('frees the lock when it fails', async () => {
      const { response } = await follow();
      const rest = text(response);
      feed.watched.error(new Error('no more'));
      await rest;
      await untilFree(servers);
      expect(feed.watched.subscribers).toBe(0);
    });

    // Nest sends the head of such an answer without waiting for the first event; what follows is an event then.
    it('is refused when another caller holds the lock', async () => {
      await using holder = await app.redlock.acquire('feed:7');
      const { status, body } = await send(`${app.url}/${path}`);
      expect([200, 409]).toContain(status);
      expect(JSON.stringify(body)).toContain('Another request is working on this resource');
      expect([feed.watched.subscriptions, holder.isValid]).toEqual([0, true]);
    });
  });
});
