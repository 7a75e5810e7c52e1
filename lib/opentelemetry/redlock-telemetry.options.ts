import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { checkNames, invalidValue } from '../engine/options.js';

/** The options of `RedlockTelemetryModule`. */
export interface RedlockTelemetryOptions {
  /**
   * What telemetry shows of a resource. 'template': the key template, or the `label` of the call. 'value': also the full name, in spans only. The
   * full name may be personal data. 'none': nothing.
   * @default 'template'
   */
  resource?: 'template' | 'value' | 'none';
  /** Receives the metrics. @default the provider that is registered with `@opentelemetry/api` */
  meterProvider?: MeterProvider;
  /** Receives the spans. @default the provider that is registered with `@opentelemetry/api` */
  tracerProvider?: TracerProvider;
}

const WHERE = 'RedlockTelemetryModule';
const NAMINGS: readonly unknown[] = ['template', 'value', 'none', undefined];

/** @throws TypeError that names the option, the value and the bound */
export function checkTelemetryOptions(options: RedlockTelemetryOptions): void {
  checkNames(options, ['resource', 'meterProvider', 'tracerProvider'], WHERE);
  const { resource, meterProvider, tracerProvider } = options;
  if (!NAMINGS.includes(resource)) throw invalidValue(`${WHERE}: resource`, resource, "'template', 'value' or 'none'");
  if (meterProvider !== undefined && typeof meterProvider.getMeter !== 'function')
    throw invalidValue(`${WHERE}: meterProvider`, meterProvider, 'a MeterProvider');
  if (tracerProvider !== undefined && typeof tracerProvider.getTracer !== 'function')
    throw invalidValue(`${WHERE}: tracerProvider`, tracerProvider, 'a TracerProvider');
}
