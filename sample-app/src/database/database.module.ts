import { Module } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { Settings } from '../settings.js';
import { Database } from './database.js';

@Module({
  providers: [
    {
      provide: Database,
      inject: [ConfigService],
      useFactory: (config: ConfigService<Settings, true>) =>
        Database.open(config.get('DATABASE_URL', { infer: true }), config.get('DATA_FOLDER', { infer: true })),
    },
  ],
  exports: [Database],
})
export class DatabaseModule {}
