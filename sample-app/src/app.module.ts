import { Module } from '@nestjs/common';
import { ConditionalModule, ConfigModule, ConfigService } from '@nestjs/config';
import { RedlockModule } from 'nestjs-redlock';
import { RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { DatabaseModule } from './database/database.module.js';
import { DuplicatesModule } from './duplicates/duplicates.module.js';
import { HealthModule } from './health/health.module.js';
import { LiveModule } from './live/live.module.js';
import { readSettings, type Settings } from './settings.js';
import { TelemetryModule } from './telemetry/telemetry.module.js';
import { UsersModule } from './users/users.module.js';

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true, envFilePath: 'sample-app/.env', validate: readSettings }),
    RedlockModule.forRootAsync({
      isGlobal: true,
      inject: [ConfigService],
      useFactory: (config: ConfigService<Settings, true>) => ({
        nodes: config.get('REDLOCK_NODES', { infer: true }),
        maxTtl: config.get('MAX_TTL', { infer: true }),
        // New nodes do not vote for `maxTtl`. In a trial, where the nodes have just been started, that would only be a wait.
        restartQuarantine: config.get('RESTART_QUARANTINE', { infer: true }),
      }),
    }),
    RedlockIdempotencyModule.forRoot({ isGlobal: true }),
    TelemetryModule.forRoot(),
    HealthModule,
    DatabaseModule,
    UsersModule,
    DuplicatesModule,
    ConditionalModule.registerWhen(LiveModule, (env) => readSettings(env).LIVE_EVENTS, { debug: false }),
  ],
})
export class AppModule {}
