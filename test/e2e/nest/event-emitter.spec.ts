import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Inject, Injectable, Logger, Scope } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { holderOn, untilFree } from '../../support/nest/nodes.js';
import { Replicas } from '../../support/nest/replicas.js';
import type { TestApp } from '../../support/nest/test-app.js';

interface SignedUp {
  readonly id: string;
}

const LOUD = { suppressErrors: false };
const KEY = 'user:<0.id>';

@Injectable()
class Listeners {
  constructor(@Inject(Door) private readonly door: Door) {}

  @OnEvent('above')
  @WithLock(KEY)
  async above({ id }: SignedUp): Promise<string> {
    await this.door.pass(id);
    return `above ${id}`;
  }

  @WithLock('user:<args.0.id>')
  @OnEvent('below')
  async below({ id }: SignedUp): Promise<string> {
    await this.door.pass(id);
    return `below ${id}`;
  }

  @OnEvent('later', { async: true })
  @WithLock(({ id }: SignedUp) => `user:${id}`)
  async later({ id }: SignedUp): Promise<void> {
    await this.door.pass(id);
  }

  @WithLock(({ id }: SignedUp) => `user:${id}`, { reentrant: true })
  @OnEvent('by-function')
  async byFunction({ id }: SignedUp): Promise<void> {
    await this.door.pass(id);
  }

  @OnEvent('many.*')
  @WithLock(KEY)
  @OnEvent('another')
  async many({ id }: SignedUp): Promise<string> {
    return id;
  }

  @OnEvent('skip')
  @WithLock(KEY, { onContended: 'skip' })
  async skip({ id }: SignedUp, @CurrentLock() lock?: Lock): Promise<string> {
    await this.door.pass(id);
    return `under ${lock!.resources[0]}`;
  }

  @OnEvent('reject', LOUD)
  @WithLock(KEY, { onContended: 'reject' })
  async reject(_user: SignedUp): Promise<void> {}

  @OnEvent('fail', LOUD)
  @WithLock(KEY)
  async fail({ id }: SignedUp): Promise<void> {
    throw new RangeError(`${id} cannot be welcomed`);
  }

  @OnEvent('fail-silently')
  @WithLock(KEY)
  async failSilently({ id }: SignedUp): Promise<void> {
    await this.door.pass(id);
    throw new RangeError('Nest logs this one');
  }
}

@Injectable({ scope: Scope.REQUEST })
class ScopedListeners {
  constructor(@Inject(Door) private readonly door: Door) {}

  @OnEvent('scoped')
  @WithLock(KEY)
  async scoped({ id }: SignedUp): Promise<void> {
    await this.door.pass(id);
  }
}

@Injectable()
class SignUps {
  constructor(
    @Inject(EventEmitter2) private readonly events: EventEmitter2,
    @Inject(Door) private readonly door: Door,
  ) {}

  /** Tells its listeners under the lock that they want, and does not wait for them. */
  @WithLock(KEY)
  async signUp(user: SignedUp): Promise<boolean> {
    const isHeard = this.events.emit('above', user);
    await this.door.pass('signs up');
    return isHeard;
  }

  /** Tells its listeners, and is done. */
  @WithLock(KEY)
  async leave(user: SignedUp): Promise<boolean> {
    return this.events.emit('by-function', user);
  }
}

const emitterOf = ({ app }: TestApp): EventEmitter2 => app.get(EventEmitter2);
const tell = ({ app }: TestApp, event: string, id = '7'): Promise<unknown[]> =>
  app.get(EventEmitter2).emitAsync(event, { id });

describe('listeners of two replicas', () => {
  let replicas: Replicas;

  beforeAll(async () => {
    replicas = await Replicas.start('Express', () => ({
      imports: [EventEmitterModule.forRoot({ wildcard: true })],
      providers: [Listeners, ScopedListeners, SignUps],
    }));
  });
  beforeEach(() => replicas.reset());
  afterAll(endAll);

  it.each([
    ['above', 'above'],
    ['below', 'below'],
    ['above', 'below'],
    ['below', 'by-function'],
    ['by-function', 'by-function'],
    ['later', 'later'],
    ['scoped', 'scoped'],
  ])('run one after the other, whatever the order of the decorators: %s and %s', async (first, second) => {
    replicas.door.shut();
    expect(emitterOf(replicas.one).emit(first, { id: '7' })).toBe(true);
    await replicas.door.untilVisits(1);
    expect(emitterOf(replicas.two).emit(second, { id: '7' })).toBe(true);
    await replicas.two.log.until('contended', 'user:7');
    expect(replicas.door.inside).toBe(1);
    replicas.door.open();
    await replicas.door.untilVisits(2);
    await untilFree(replicas.servers);
    expect([replicas.door.most, replicas.door.visits]).toEqual([1, ['7', '7']]);
  });

  it('run at the same time for different keys', async () => {
    replicas.door.shut();
    const told = [tell(replicas.one, 'above', 'a'), tell(replicas.two, 'below', 'b')];
    await replicas.door.untilVisits(2);
    expect(replicas.door.inside).toBe(2);
    replicas.door.open();
    await expect(Promise.all(told)).resolves.toEqual([['above a'], ['below b']]);
  });

  it('do not run without a usable key', async () => {
    await tell(replicas.one, 'above', '');
    expect(replicas.door.visits).toEqual([]);
  });

  it('wait for the release of the code that tells the event under their lock', async () => {
    const { one, door, servers } = replicas;
    door.shut();
    const signedUp = one.app.get(SignUps).signUp({ id: '7' });
    await Promise.race([one.log.until('contended', 'user:7'), door.untilVisits(2)]);
    expect(door.visits).toEqual(['signs up']);
    door.open();
    await expect(signedUp).resolves.toBe(true);
    await door.untilVisits(2);
    await untilFree(servers);
    expect([door.most, one.log.count('acquired', 'user:7')]).toEqual([1, 2]);
    expect(one.log.count('self-contended', 'user:7')).toBe(1);
  });

  it('run inside that lock if they are reentrant, and keep it until they are done', async () => {
    const { one, two, door, servers } = replicas;
    door.shut();
    await expect(one.app.get(SignUps).leave({ id: '7' })).resolves.toBe(true);
    expect([door.inside, await holderOn(servers, 'user:7')]).toEqual([1, expect.any(String)]);
    const rival = tell(two, 'above');
    await two.log.until('contended', 'user:7');
    expect(door.inside).toBe(1);
    door.open();
    await expect(rival).resolves.toEqual(['above 7']);
    expect([door.most, one.log.count('acquired', 'user:7')]).toEqual([1, 1]);
  });

  it('answer emitAsync, also where several events lead to one listener', async () => {
    await expect(tell(replicas.one, 'many.more')).resolves.toEqual(['7']);
    await expect(tell(replicas.one, 'another')).resolves.toEqual(['7']);
    expect(replicas.one.log.count('acquired', 'user:7')).toBe(2);
  });

  it('run on one replica where the others skip', async () => {
    replicas.door.shut();
    const first = tell(replicas.one, 'skip');
    await replicas.door.untilVisits(1);
    await expect(tell(replicas.two, 'skip')).resolves.toEqual([undefined]);
    replicas.door.open();
    await expect(first).resolves.toEqual(['under user:7']);
    expect(replicas.door.visits).toEqual(['7']);
  });

  it('pass errors on to emitAsync: their own, and those of the lock', async () => {
    await expect(tell(replicas.one, 'fail')).rejects.toThrow(new RangeError('7 cannot be welcomed'));
    await using held = await replicas.two.redlock.acquire('user:7');
    await expect(tell(replicas.one, 'reject')).rejects.toMatchObject({
      code: 'RESOURCE_LOCKED',
      resources: held.resources,
    });
    await expect(replicas.one.app.get(EventEmitter2).emitAsync('reject', {})).rejects.toMatchObject({
      code: 'LOCK_KEY',
    });
  });

  it('free their lock where Nest only logs their error', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    await expect(tell(replicas.one, 'fail-silently')).resolves.toEqual([undefined]);
    expect([replicas.door.visits, logged.mock.calls.map(([message]) => message as string)]).toEqual([
      ['7'],
      ['Nest logs this one'],
    ]);
    logged.mockRestore();
    await untilFree(replicas.servers);
  });
});
