import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Injectable, Module, Post, type DynamicModule } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { RedlockModule, WithLock, type RedlockModuleOptions, type RedlockOptionsFactory } from 'nestjs-redlock';
import { untilFree } from '../../support/nest/nodes.js';
import { Owned, provideOwned } from '../../support/nest/owned.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

@Injectable()
class Jobs {
  constructor(@Inject(Owned) private readonly owned: Owned) {}

  @WithLock('job:<0>')
  async run(id: string): Promise<boolean[]> {
    return this.owned.by(`job:${id}`);
  }
}

@Controller()
class JobsController {
  constructor(@Inject(Jobs) private readonly jobs: Jobs) {}

  @Post('jobs')
  @WithLock('handler:<body.id>')
  run(@Body('id') id: string): Promise<boolean[]> {
    return this.jobs.run(id);
  }
}

@Injectable()
class Settings implements RedlockOptionsFactory {
  constructor(@Inject(ConfigService) private readonly config: ConfigService) {}

  createRedlockOptions(): RedlockModuleOptions {
    return {
      nodes: this.config.getOrThrow<string>('REDLOCK_NODES').split(','),
      nodeTimeout: 3_000,
      restartQuarantine: false,
    };
  }
}

@Module({ providers: [Settings], exports: [Settings] })
class SettingsModule {}

/** A module that imports nothing: it sees global pools only. */
@Module({ controllers: [JobsController], providers: [Jobs] })
class FeatureModule {}

let servers: RedisServer[];

beforeAll(async () => {
  servers = await startRedisServers(3);
});

afterEach(closeApps);
afterAll(() => stopAll());

describe('RedlockModule.forRootAsync', () => {
  const config = (): Promise<DynamicModule> =>
    ConfigModule.forRoot({
      isGlobal: true,
      ignoreEnvFile: true,
      load: [() => ({ REDLOCK_NODES: servers.map(({ url }) => url).join() })],
    });

  it.each<[string, () => DynamicModule]>([
    [
      'useFactory',
      () =>
        RedlockModule.forRootAsync({
          isGlobal: true,
          inject: [ConfigService],
          useFactory: (service: ConfigService) => new Settings(service).createRedlockOptions(),
        }),
    ],
    ['useClass', () => RedlockModule.forRootAsync({ isGlobal: true, useClass: Settings })],
    [
      'useExisting',
      () => RedlockModule.forRootAsync({ isGlobal: true, imports: [SettingsModule], useExisting: Settings }),
    ],
  ])('locks handlers and providers on the nodes of the configuration: %s', async (_name, register) => {
    const app = await TestApp.start('Express', {
      imports: [await config(), provideOwned(servers), register(), FeatureModule],
    });
    expect(await app.post('jobs', { id: '1' })).toMatchObject({ status: 201, body: [true] });
    expect(app.log.count('acquired')).toBe(2);
    await untilFree(servers);
  });
});
