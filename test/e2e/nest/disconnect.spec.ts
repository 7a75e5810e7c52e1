import { beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Post } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { defer, map, Observable } from 'rxjs';
import { Door } from '../../support/nest/door.js';
import { Endings } from '../../support/nest/endings.js';
import { holderOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';

@Controller()
class Orders {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Post('promise')
  @WithLock('order:<body.id>')
  promise(@Body('id') id: string): Promise<void> {
    return this.door.pass(id);
  }

  @Post('promise-by-argument')
  @WithLock('order:<0>')
  promiseByArgument(@Body('id') id: string): Promise<void> {
    return this.door.pass(id);
  }

  @Post('observable')
  @WithLock('order:<body.id>')
  observable(@Body('id') id: string): Observable<object> {
    return defer(() => this.door.pass(id)).pipe(map(() => ({ id })));
  }

  @Post('observable-by-argument')
  @WithLock('order:<0>')
  observableByArgument(@Body('id') id: string): Observable<object> {
    return defer(() => this.door.pass(id)).pipe(map(() => ({ id })));
  }
}

const PATHS = ['promise', 'promise-by-argument', 'observable', 'observable-by-argument'];

describe.each(PLATFORMS)('a client of %s that goes away', (platform) => {
  const { door, servers } = shutDoor();
  let endings: Endings;
  let app: TestApp;
  let client: AbortController;

  beforeEach(async () => {
    endings = new Endings();
    client = new AbortController();
    const metadata = {
      imports: [poolOn(servers)],
      controllers: [Orders],
      providers: [{ provide: Door, useValue: door }],
    };
    app = await TestApp.start(platform, metadata, (nest) => nest.useGlobalInterceptors(endings));
  });

  describe.each(PATHS)('from %s', (path) => {
    const id = path;
    const resource = `order:${id}`;
    const leave = async (reply: Promise<unknown>): Promise<void> => {
      client.abort();
      await expect(reply).rejects.toThrow(/aborted/);
    };

    it('while it waits stops waiting, and leaves the lock to its holder', async () => {
      const holder = app.post('promise', { id });
      await door.untilVisits(1);
      const holding = await holderOn(servers, resource);
      const waiter = app.post(path, { id }, { signal: client.signal });
      await app.log.until('contended', resource);
      await leave(waiter);
      await endings.until(1);
      // The 499 of the lock reaches no client; Nest itself may be faster to leave an Observable.
      expect(endings.all.map((ending) => (ending.how === 'failed' ? ending.error : ending.how))).toEqual([
        path.startsWith('observable') ? expect.anything() : expect.objectContaining({ status: 499 }),
      ]);
      expect(await holderOn(servers, resource)).toBe(holding);
      door.open();
      expect((await holder).status).toBe(201);
      expect((await app.post(path, { id })).status).toBe(201);
      expect([door.visits.length, app.log.count('acquired', resource)]).toEqual([2, 2]);
      await untilFree(servers);
    });

    it('while its handler runs leaves the lock held for as long as that takes', async () => {
      const reply = app.post(path, { id }, { signal: client.signal });
      await door.untilVisits(1);
      const holding = await holderOn(servers, resource);
      await leave(reply);
      const rival = app.post(path, { id });
      if (path.startsWith('observable')) {
        // Nest unsubscribes from it then: the stream is over, and the lock goes with it.
        await endings.until(1);
        expect(endings.all.map(({ how }) => how)).toEqual(['left']);
        await door.untilVisits(2);
      } else {
        await app.log.until('contended', resource);
        expect([door.inside, await holderOn(servers, resource)]).toEqual([1, holding]);
      }
      door.open();
      expect((await rival).status).toBe(201);
      await endings.until(2);
      expect(endings.all.at(-1)).toMatchObject({ how: 'completed' });
      await untilFree(servers);
    });
  });
});
