import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Post } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { defer, from, map, Observable } from 'rxjs';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { holderOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

interface Dto {
  readonly id: string;
}

const KEY = 'user:<body.id>';
const BY_ARGUMENT = 'user:<0.id>';

@Controller()
class Routes {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Post('below')
  @WithLock(KEY)
  async below(@Body() { id }: Dto): Promise<object> {
    await this.door.pass(id);
    return { id };
  }

  @WithLock(KEY)
  @Post('above')
  async above(@Body() { id }: Dto): Promise<object> {
    await this.door.pass(id);
    return { id };
  }

  @Post('argument')
  @WithLock(BY_ARGUMENT)
  async argument(@Body() { id }: Dto): Promise<object> {
    await this.door.pass(id);
    return { id };
  }

  @WithLock(({ id }: Dto) => `user:${id}`)
  @Post('function')
  async function(@Body() { id }: Dto): Promise<object> {
    await this.door.pass(id);
    return { id };
  }

  @Post('observable')
  @WithLock(KEY)
  observable(@Body() { id }: Dto): Observable<object> {
    return from(this.door.pass(id)).pipe(map(() => ({ id })));
  }

  @Post('lazy-observable')
  @WithLock(KEY)
  lazyObservable(@Body() { id }: Dto): Observable<object> {
    return defer(() => this.door.pass(id)).pipe(map(() => ({ id })));
  }

  @Post('observable-by-argument')
  @WithLock(BY_ARGUMENT)
  observableByArgument(@Body() { id }: Dto): Observable<object> {
    return defer(() => this.door.pass(id)).pipe(map(() => ({ id })));
  }

  // Without a declared type, as most people write it.
  @Post('undeclared-observable')
  @WithLock(KEY)
  undeclaredObservable(@Body() { id }: Dto) {
    return defer(() => this.door.pass(id)).pipe(map(() => ({ id })));
  }

  @Post('undeclared-observable-by-argument')
  @WithLock(BY_ARGUMENT)
  undeclaredObservableByArgument(@Body() { id }: Dto) {
    return defer(() => this.door.pass(id)).pipe(map(() => ({ id })));
  }

  @Post('promise-of-observable')
  @WithLock(KEY)
  async promiseOfObservable(@Body() { id }: Dto): Promise<Observable<object>> {
    return defer(() => this.door.pass(id)).pipe(map(() => ({ id })));
  }

  @Post('value')
  @WithLock(KEY)
  async value(@Body() { id }: Dto): Promise<object> {
    void this.door.pass(id);
    return { id };
  }
}

const PATHS = Object.getOwnPropertyNames(Routes.prototype)
  .filter((name) => name !== 'constructor' && name !== 'value')
  .map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));

describe.each(PLATFORMS)('a locked route on %s', (platform) => {
  const door = new Door();
  let servers: RedisServer[];
  let [one, two]: TestApp[] = [];

  beforeAll(async () => {
    servers = await startRedisServers(3);
    const metadata = () => ({
      imports: [poolOn(servers)],
      controllers: [Routes],
      providers: [{ provide: Door, useValue: door }],
    });
    [one, two] = await TestApp.pair(platform, metadata);
  });

  beforeEach(() => door.reset());

  afterAll(endAll);

  it.each([...PATHS, 'value'])('answers, and frees its lock: %s', async (path) => {
    const reply = await one!.post(path, { id: path });
    expect([reply.status, reply.body]).toEqual([201, { id: path }]);
    expect(door.visits).toEqual([path]);
    await untilFree(servers);
  });

  it.each(PATHS)('runs two identical requests to two replicas one after the other: %s', async (path) => {
    const id = `twice-${path}`;
    door.shut();
    const first = one!.post(path, { id });
    await door.untilVisits(1);
    const second = two!.post(path, { id });
    await two!.log.until('contended', `user:${id}`);
    expect([door.inside, await holderOn(servers, `user:${id}`)]).toEqual([1, expect.any(String)]);
    door.open();
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([201, 201]);
    expect([door.most, door.visits.length]).toEqual([1, 2]);
  });

  it('runs requests for different keys at the same time', async () => {
    door.shut();
    const replies = [one!.post('below', { id: 'a' }), one!.post('below', { id: 'b' }), two!.post('above', { id: 'c' })];
    await door.untilVisits(3);
    expect(door.inside).toBe(3);
    door.open();
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  it('shares its key with every other route that makes the same one', async () => {
    door.shut();
    const first = one!.post('below', { id: 'same' });
    await door.untilVisits(1);
    const others = ['above', 'argument', 'function', 'observable'].map((path) => two!.post(path, { id: 'same' }));
    await two!.log.until('contended', 'user:same', 4);
    expect(door.inside).toBe(1);
    door.open();
    await Promise.all([first, ...others]);
    expect([door.most, door.visits.length]).toEqual([1, 5]);
  });
});
