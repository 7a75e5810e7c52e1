import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, type ModuleMetadata } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { WithLock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { holderOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

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
  const door = new Door();
  let servers: RedisServer[];
  let [one, two]: TestApp[] = [];

  beforeAll(async () => {
    servers = await startRedisServers(3);
    const metadata = (): ModuleMetadata => ({
      imports: [EventEmitterModule.forRoot(), poolOn(servers)],
      providers: [Listeners, SignUp, { provide: Door, useValue: door }],
    });
    [one, two] = await TestApp.pair('Express', metadata);
  });

  beforeEach(() => {
    door.reset();
    for (const { log } of [one!, two!]) log.clear();
  });

  afterAll(async () => {
    await closeApps();
    await stopAll();
  });

  it('wait for its release as everybody else does', async () => {
    door.shut();
    const signedUp = one!.app.get(SignUp).signUp('7', 'after');
    await Promise.race([one!.log.until('contended', 'user:7'), door.untilVisits(2)]);
    expect(door.visits).toEqual(['signs up 7']);
    door.open();
    await expect(signedUp).resolves.toBe(true);
    await door.untilVisits(2);
    await untilFree(servers);
    expect([door.most, one!.log.count('acquired', 'user:7')]).toEqual([1, 2]);
    expect(one!.log.count('self-contended', 'user:7')).toBe(1);
  });

  it('run inside it where they are reentrant, and keep it until they are done', async () => {
    door.shut();
    await expect(one!.app.get(SignUp).leave('7', 'within')).resolves.toBe(true);
    expect([door.inside, await holderOn(servers, 'user:7')]).toEqual([1, expect.any(String)]);
    const rival = two!.app.get(Listeners).after('7');
    await two!.log.until('contended', 'user:7');
    expect(door.inside).toBe(1);
    door.open();
    await expect(rival).resolves.toEqual('after 7');
    expect([door.most, one!.log.count('acquired', 'user:7')]).toEqual([1, 1]);
  });
});
