import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { InjectRedlock, RedlockService, WithLock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { untilFree } from '../../support/nest/nodes.js';
import { Replicas } from '../../support/nest/replicas.js';
import type { TestApp } from '../../support/nest/test-app.js';

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
  let replicas: Replicas;
  const emit = (app: TestApp, event: string, email: string): Promise<unknown> =>
    app.app.get(EventEmitter2).emitAsync(event, { email });

  beforeAll(async () => {
    replicas = await Replicas.start('Express', () => ({
      imports: [EventEmitterModule.forRoot()],
      providers: [Listeners, Emitter],
    }));
  });
  beforeEach(() => replicas.reset());
  afterAll(endAll);

  it.each([
    ['above', 'above'],
    ['below', 'below'],
    ['above', 'below'],
  ])('run one after the other, whatever the order of the decorators: @OnEvent %s and %s', async (first, second) => {
    const email = `${first}@${second}`;
    replicas.door.shut();
    const telling = [emit(replicas.one, first, email)];
    await replicas.door.untilVisits(1);
    telling.push(emit(replicas.two, second, email));
    await replicas.two.log.until('contended', `mail:${email}`);
    expect(replicas.door.inside).toBe(1);
    replicas.door.open();
    await Promise.all(telling);
    expect([replicas.door.most, replicas.door.visits]).toEqual([1, [email, email]]);
    await untilFree(replicas.servers);
  });

  it('run at once for different keys', async () => {
    replicas.door.shut();
    const telling = [emit(replicas.one, 'above', 'a@b'), emit(replicas.two, 'above', 'c@d')];
    await replicas.door.untilVisits(2);
    expect(replicas.door.inside).toBe(2);
    replicas.door.open();
    await Promise.all(telling);
  });

  it('do not run without a usable key', async () => {
    await emit(replicas.one, 'above', '');
    expect(replicas.door.visits).toEqual([]);
  });

  it('run inside the lock of the code that tells the event where they are reentrant', async () => {
    await replicas.one.app.get(Emitter).inside({ email: 'e@f' });
    expect([replicas.door.visits, replicas.one.log.count('acquired', 'mail:e@f')]).toEqual([['e@f'], 1]);
  });
});
