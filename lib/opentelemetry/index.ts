export { RedlockTelemetryModule } from './redlock-telemetry.module.js';
export type { RedlockTelemetryOptions } from './redlock-telemetry.options.js';
