import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { RedlockModule } from 'nestjs-redlock';
import { RedlockHealthIndicator } from 'nestjs-redlock/terminus';
import { HealthController } from './health.controller.js';

@Module({
  imports: [
    TerminusModule.forRoot({ logger: false }),
    RedlockModule.forRootAsync({
      useFactory: () => ({
        nodes: (process.env.REDLOCK_NODES ?? '').split(','),
        restartQuarantine: false,
        // No answer is late on a machine that does ten other things.
        nodeTimeout: 2_000,
      }),
    }),
  ],
  controllers: [HealthController],
  providers: [RedlockHealthIndicator],
})
export class AppModule {}
