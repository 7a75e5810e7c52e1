import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { checkNames, misfit } from '../engine/options.js';

export interface RedlockTelemetryOptions {
  /**
   * What telemetry says of a resource: 'template', the key template or the label of the call; 'value', the full name as well, which may be
   * personal data, and which only spans have; or 'none'.
   * @default 'template'
   */
  resource?: 'template' | 'value' | 'none';
  /** Takes the metrics. @default the one that is registered with `@opentelemetry/api` */
  meterProvider?: MeterProvider;
  /** Takes the spans. @default the one that is registered with `@opentelemetry/api` */
  tracerProvider?: TracerProvider;
}

const WHERE = 'RedlockTelemetryModule';
const NAMINGS: readonly unknown[] = ['template', 'value', 'none', undefined];

/** @throws TypeError that names the option, the value and the bound */
export function checkTelemetryOptions(options: RedlockTelemetryOptions): void {
  checkNames(options, ['resource', 'meterProvider', 'tracerProvider'], WHERE);
  const { resource, meterProvider, tracerProvider } = options;
  if (!NAMINGS.includes(resource)) throw misfit(`${WHERE}: resource`, resource, "'template', 'value' or 'none'");
  if (meterProvider !== undefined && typeof meterProvider.getMeter !== 'function')
    throw misfit(`${WHERE}: meterProvider`, meterProvider, 'a MeterProvider');
  if (tracerProvider !== undefined && typeof tracerProvider.getTracer !== 'function')
    throw misfit(`${WHERE}: tracerProvider`, tracerProvider, 'a TracerProvider');
}
