import { beforeEach, describe, expect, it } from '@jest/globals';
import { Door } from '../../support/nest/door.js';
import { BehindPipes, OnController, OnMethod } from '../../support/nest/early-answering.js';
import { Entrance, Patience } from '../../support/nest/giving-up.js';
import { Commits } from '../../support/nest/late-commits.js';
import { holderOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';

const KEY = 'order:1';

describe.each(PLATFORMS)('an answer that leaves before the work is done, on %s', (platform) => {
  const { door, servers } = shutDoor();
  const body = { id: '1' };
  let patience: Patience;
  let commits: Commits;
  let entrance: Entrance;
  let app: TestApp;

  beforeEach(async () => {
    patience = new Patience();
    commits = new Commits();
    entrance = new Entrance();
    app = await TestApp.start(platform, {
      imports: [poolOn(servers)],
      controllers: [OnMethod, BehindPipes, OnController],
      providers: [
        { provide: Door, useValue: door },
        { provide: Patience, useValue: patience },
        { provide: Commits, useValue: commits },
        { provide: Entrance, useValue: entrance },
      ],
    });
  });

  /** Sends a request whose time is up while its handler runs. */
  const timeOut = async (path: string): Promise<void> => {
    const reply = app.post(path, body);
    await door.untilVisits(1);
    patience.end();
    expect(await reply).toMatchObject({ status: 408 });
    expect(door.inside).toBe(1);
  };

  it.each([
    'method/promise',
    'method/thenable',
    'method/join',
    'method/by-argument',
    'controller/promise',
    'controller/thenable',
    'controller/by-argument',
  ])('is given at once, and the next request waits for the work: %s', async (path) => {
    await timeOut(path);
    const next = app.post(path, body);
    await app.log.until('contended', KEY);
    door.open();
    expect(await next).toMatchObject({ status: 201 });
    expect([door.visits.length, door.most]).toEqual([2, 1]);
    await untilFree(servers);
  });

  it('is given at once to all that have joined, and their run can be joined no longer', async () => {
    const replies = [app.post('method/join', body)];
    await door.untilVisits(1);
    replies.push(app.post('method/join', body));
    await app.log.until('joined', KEY);
    patience.end();
    expect(await Promise.all(replies)).toMatchObject([{ status: 408 }, { status: 408 }]);
    const next = app.post('method/join', body);
    await app.log.until('contended', KEY);
    door.open();
    expect(await next).toMatchObject({ status: 201 });
    expect([door.visits.length, door.most, app.log.count('joined')]).toEqual([2, 1, 1]);
    await untilFree(servers);
  });

  it('may be given to a caller that had joined by a timeout of its controller: the run goes on for the others', async () => {
    await timeOut('controller/join');
    const next = app.post('controller/join', body);
    await app.log.until('joined', KEY);
    door.open();
    expect(await next).toMatchObject({ status: 201 });
    expect(door.visits).toHaveLength(1);
    await untilFree(servers);
  });

  it.each(['controller/decorator', 'controller/interceptor'])(
    'is given by a timeout of the controller, and the next request waits for the commit around the method: %s',
    async (path) => {
      commits.shut();
      await timeOut(path);
      const holder = await holderOn(servers, KEY);
      const next = app.post(path, body);
      await app.log.until('contended', KEY);
      door.open();
      await commits.untilVisits(1);
      // This takes several round trips: a lock that were not kept would be with the next request by then.
      expect([await holderOn(servers, KEY), door.visits.length]).toEqual([holder, 1]);
      commits.open();
      expect(await next).toMatchObject({ status: 201 });
      expect([door.visits.length, door.most, commits.most]).toEqual([2, 1, 1]);
      await untilFree(servers);
    },
  );

  /** Sends a request that is to wait for the work behind the answer to the first one. */
  const follow = async (path: string): Promise<void> => {
    app.log.clear();
    const next = app.post(path, body);
    await app.log.until('contended', KEY);
    door.open();
    expect(await next).toMatchObject({ status: 201, body: 'accepted' });
    await door.untilVisits(2);
    expect(door.most).toBe(1);
    await untilFree(servers);
  };

  it.each(['method/accepted', 'method/accepted-join'])('leaves the lock to the method behind it: %s', async (path) => {
    expect(await app.post(path, body)).toMatchObject({ status: 201, body: 'accepted' });
    await door.untilVisits(1);
    await follow(path);
  });

  it.each(['pipes/accepted', 'pipes/accepted-join'])(
    'frees the lock where the method has not begun, which takes one of its own then: %s',
    async (path) => {
      entrance.shut();
      expect(await app.post(path, body)).toMatchObject({ status: 201, body: 'accepted' });
      await entrance.untilVisits(1);
      await untilFree(servers);
      entrance.open();
      await door.untilVisits(1);
      await follow(path);
    },
  );
});
