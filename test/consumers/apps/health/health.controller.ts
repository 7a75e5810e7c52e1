import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import { RedlockHealthIndicator, type RedlockHealthOptions } from 'nestjs-redlock/terminus';

const options: RedlockHealthOptions = { timeout: 1_000 };

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly redlock: RedlockHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  async ready(): Promise<object> {
    return this.health.check([() => this.redlock.check('locks', options)]);
  }

  @Get('calm')
  @HealthCheck()
  async calm(): Promise<object> {
    return this.health.check([() => this.redlock.check('locks', { ...options, whenDown: 'degraded', details: false })]);
  }
}

// Were the types not found, everything would be `any`, and this no error.
// @ts-expect-error -- there is no such state
export const wrong: RedlockHealthOptions = { whenDown: 'up' };
