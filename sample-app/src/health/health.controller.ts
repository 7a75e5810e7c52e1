import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import { RedlockHealthIndicator } from 'nestjs-redlock/terminus';

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly locks: RedlockHealthIndicator,
  ) {}

  /** For readiness, never for liveness: a restart of this process repairs no node. */
  @Get('ready')
  @HealthCheck()
  ready() {
    return this.health.check([() => this.locks.check('locks')]);
  }
}
