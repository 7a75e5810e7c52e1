import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { RedlockModule } from 'nestjs-redlock';
import { RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { DatabaseModule } from './database/database.module.js';
import { DuplicatesModule } from './duplicates/duplicates.module.js';
import { readSettings, type Settings } from './settings.js';
import { UsersModule } from './users/users.module.js';

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true, envFilePath: 'sample-app/.env', validate: readSettings }),
    RedlockModule.forRootAsync({
      isGlobal: true,
      inject: [ConfigService],
      useFactory: (config: ConfigService<Settings, true>) => ({
        nodes: config.get('REDLOCK_NODES', { infer: true }),
        // New nodes do not vote for 30 s. In a trial, where the nodes have just been started, that would only be a wait.
        restartQuarantine: config.get('NODE_ENV', { infer: true }) === 'production',
      }),
    }),
    RedlockIdempotencyModule.forRoot({ isGlobal: true }),
    DatabaseModule,
    UsersModule,
    DuplicatesModule,
  ],
})
export class AppModule {}
