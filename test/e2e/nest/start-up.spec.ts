import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { InjectRedlock, RedlockService, WithLock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { poolOn, untilFree } from '../../support/nest/nodes.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

/** Does once, on whichever replica comes first, what has to be done before the application answers. */
@Injectable()
class Migrations implements OnModuleInit, OnApplicationBootstrap {
  /** Begun while the application is still being built. */
  readonly early: Promise<void>;

  constructor(
    @Inject(Door) private readonly door: Door,
    @InjectRedlock() redlock: RedlockService,
  ) {
    this.early = redlock.withLock('migrations', () => this.door.pass('constructor'));
  }

  async onModuleInit(): Promise<void> {
    await this.run('onModuleInit');
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.run('onApplicationBootstrap');
  }

  @WithLock('migrations')
  async run(step: string): Promise<void> {
    await this.door.pass(step);
  }
}

@Module({ providers: [Migrations] })
class MigrationsModule {}

describe('locks at the start of two replicas', () => {
  const door = new Door();
  let servers: RedisServer[];

  beforeAll(async () => {
    servers = await startRedisServers(3);
  });

  afterEach(closeApps);
  afterAll(() => stopAll());

  // The module of the pool comes last here, and so does its own start.
  it('can be had from the first moment on, one after the other', async () => {
    const doors = {
      module: class DoorModule {},
      global: true,
      providers: [{ provide: Door, useValue: door }],
      exports: [Door],
    };
    const metadata = () => ({ imports: [doors, MigrationsModule, poolOn(servers)] });
    const apps = await TestApp.pair('Express', metadata);
    await Promise.all(apps.map(({ app }) => app.get(Migrations, { strict: false }).early));
    const steps = ['constructor', 'onApplicationBootstrap', 'onModuleInit'];
    expect([...door.visits].sort()).toEqual(steps.flatMap((step) => [step, step]));
    expect(door.most).toBe(1);
    await untilFree(servers);
    door.reset();
  });
});
