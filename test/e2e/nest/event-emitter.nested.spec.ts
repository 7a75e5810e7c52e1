import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { WithLock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { holderOn, untilFree } from '../../support/nest/nodes.js';
import { Replicas } from '../../support/nest/replicas.js';

@Injectable()
class Listeners {
  constructor(@Inject(Door) private readonly door: Door) {}

  @OnEvent('after')
  @WithLock('user:<0>')
  async after(id: string): Promise<string> {
    await this.door.pass(`after ${id}`);
    return `after ${id}`;
  }

  @OnEvent('within')
  @WithLock('user:<0>', { reentrant: true })
  async within(id: string): Promise<void> {
    await this.door.pass(`within ${id}`);
  }
}

@Injectable()
class SignUp {
  constructor(
    @Inject(EventEmitter2) private readonly emitter: EventEmitter2,
    @Inject(Door) private readonly door: Door,
  ) {}

  /** Tells its listeners, and does not wait for them. */
  @WithLock('user:<0>')
  async signUp(id: string, event: string): Promise<boolean> {
    const isHeard = this.emitter.emit(event, id);
    await this.door.pass(`signs up ${id}`);
    return isHeard;
  }

  /** Tells its listeners, and is done. */
  @WithLock('user:<0>')
  async leave(id: string, event: string): Promise<boolean> {
    return this.emitter.emit(event, id);
  }
}

describe('listeners of an event that is emitted under the lock that they take', () => {
  let replicas: Replicas;

  beforeAll(async () => {
    replicas = await Replicas.start('Express', () => ({
      imports: [EventEmitterModule.forRoot()],
      providers: [Listeners, SignUp],
    }));
  });
  beforeEach(() => replicas.reset());
  afterAll(endAll);

  it('wait for its release like all other callers', async () => {
    replicas.door.shut();
    const signedUp = replicas.one.app.get(SignUp).signUp('7', 'after');
    await Promise.race([replicas.one.log.until('contended', 'user:7'), replicas.door.untilVisits(2)]);
    expect(replicas.door.visits).toEqual(['signs up 7']);
    replicas.door.open();
    await expect(signedUp).resolves.toBe(true);
    await replicas.door.untilVisits(2);
    await untilFree(replicas.servers);
    expect([replicas.door.most, replicas.one.log.count('acquired', 'user:7')]).toEqual([1, 2]);
    expect(replicas.one.log.count('self-contended', 'user:7')).toBe(1);
  });

  it('run inside it where they are reentrant, and keep it until they are done', async () => {
    replicas.door.shut();
    await expect(replicas.one.app.get(SignUp).leave('7', 'within')).resolves.toBe(true);
    expect([replicas.door.inside, await holderOn(replicas.servers, 'user:7')]).toEqual([1, expect.any(String)]);
    const rival = replicas.two.app.get(Listeners).after('7');
    await replicas.two.log.until('contended', 'user:7');
    expect(replicas.door.inside).toBe(1);
    replicas.door.open();
    await expect(rival).resolves.toEqual('after 7');
    expect([replicas.door.most, replicas.one.log.count('acquired', 'user:7')]).toEqual([1, 1]);
  });
});
