import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, type ModuleMetadata } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { InjectRedlock, RedlockService, WithLock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { poolOn, untilFree } from '../../support/nest/nodes.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

interface SignedUp {
  readonly email: string;
}

@Injectable()
class Listeners {
  constructor(@Inject(Door) private readonly door: Door) {}

  @OnEvent('above')
  @WithLock('mail:<0.email>', { reentrant: true })
  async above({ email }: SignedUp): Promise<void> {
    await this.door.pass(email);
  }

  @WithLock(({ email }: SignedUp) => `mail:${email}`)
  @OnEvent('below')
  async below({ email }: SignedUp): Promise<void> {
    await this.door.pass(email);
  }
}

@Injectable()
class Emitter {
  constructor(
    @Inject(EventEmitter2) private readonly events: EventEmitter2,
    @InjectRedlock() private readonly redlock: RedlockService,
  ) {}

  /** Tells it while it holds the very lock that the listener wants. */
  inside(event: SignedUp): Promise<unknown> {
    return this.redlock.withLock(`mail:${event.email}`, () => this.events.emitAsync('above', event), {
      waitTimeout: 0,
    });
  }
}

describe('event listeners of two replicas', () => {
  const door = new Door();
  let servers: RedisServer[];
  let [one, two]: TestApp[] = [];
  const emit = (app: TestApp, event: string, email: string): Promise<unknown> =>
    app.app.get(EventEmitter2).emitAsync(event, { email });

  beforeAll(async () => {
    servers = await startRedisServers(3);
    const metadata = (): ModuleMetadata => ({
      imports: [EventEmitterModule.forRoot(), poolOn(servers)],
      providers: [Listeners, Emitter, { provide: Door, useValue: door }],
    });
    [one, two] = await TestApp.pair('Express', metadata);
  });

  beforeEach(() => door.reset());

  afterAll(async () => {
    await closeApps();
    await stopAll();
  });

  it.each([
    ['above', 'above'],
    ['below', 'below'],
    ['above', 'below'],
  ])('run one after the other, whatever the order of the decorators: @OnEvent %s and %s', async (first, second) => {
    const email = `${first}@${second}`;
    door.shut();
    const telling = [emit(one!, first, email)];
    await door.untilVisits(1);
    telling.push(emit(two!, second, email));
    await two!.log.until('contended', `mail:${email}`);
    expect(door.inside).toBe(1);
    door.open();
    await Promise.all(telling);
    expect([door.most, door.visits]).toEqual([1, [email, email]]);
    await untilFree(servers);
  });

  it('run at once for different keys', async () => {
    door.shut();
    const telling = [emit(one!, 'above', 'a@b'), emit(two!, 'above', 'c@d')];
    await door.untilVisits(2);
    expect(door.inside).toBe(2);
    door.open();
    await Promise.all(telling);
  });

  it('do not run without a usable key', async () => {
    await emit(one!, 'above', '');
    expect(door.visits).toEqual([]);
  });

  it('run inside the lock of the code that tells the event where they are reentrant', async () => {
    await one!.app.get(Emitter).inside({ email: 'e@f' });
    expect([door.visits, one!.log.count('acquired', 'mail:e@f')]).toEqual([['e@f'], 1]);
  });
});
