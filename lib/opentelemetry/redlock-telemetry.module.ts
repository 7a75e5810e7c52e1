import { Module, type DynamicModule } from '@nestjs/common';
import { RedlockTelemetry, TELEMETRY_OPTIONS } from './redlock-telemetry.js';
import { checkTelemetryOptions, type RedlockTelemetryOptions } from './redlock-telemetry.options.js';

/** Sends spans and metrics of all pools of the process to OpenTelemetry. */
@Module({})
export class RedlockTelemetryModule {
  /**
   * Turns telemetry on.
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
