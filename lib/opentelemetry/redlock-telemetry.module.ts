import { Module, type DynamicModule } from '@nestjs/common';
import { RedlockTelemetry, TELEMETRY_OPTIONS } from './redlock-telemetry.js';
import { checkTelemetryOptions, type RedlockTelemetryOptions } from './redlock-telemetry.options.js';

/** Gives spans and metrics of all pools of the process to OpenTelemetry, from the start of the application until its end. */
@Module({})
export class RedlockTelemetryModule {
  /**
   * @throws TypeError for wrong options
   * @example
   * ```ts
   * RedlockTelemetryModule.forRoot()
   * ```
   */
  static forRoot(options: RedlockTelemetryOptions = {}): DynamicModule {
    checkTelemetryOptions(options);
    return {
      module: RedlockTelemetryModule,
      providers: [{ provide: TELEMETRY_OPTIONS, useValue: options }, RedlockTelemetry],
    };
  }
}
