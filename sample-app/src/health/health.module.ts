import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { RedlockHealthIndicator } from 'nestjs-redlock/terminus';
import { HealthController } from './health.controller.js';

@Module({
  // No line for each probe that fails: the pool logs once that locks are impossible, and why.
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [RedlockHealthIndicator],
})
export class HealthModule {}
