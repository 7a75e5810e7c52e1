import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { metrics, trace } from '@opentelemetry/api';
import { LeaderMetrics } from './leader-metrics.js';
import { LockMetrics } from './lock-metrics.js';
import { LockSpans } from './lock-spans.js';
import { NodeMetrics } from './node-metrics.js';
import { OnceMetrics } from './once-metrics.js';
import { OnceSpans } from './once-spans.js';
import { poolsOf } from './attributes.js';
import type { RedlockTelemetryOptions } from './redlock-telemetry.options.js';
import { Subscriptions } from './subscriptions.js';

export const TELEMETRY_OPTIONS = Symbol('nestjs-redlock:telemetry-options');

const SCOPE = 'nestjs-redlock';

/** Observes the channels from when it is made, which is before any pool is connected, until the application has shut down. */
@Injectable()
export class RedlockTelemetry implements OnApplicationShutdown {
  readonly #subscriptions = new Subscriptions();

  constructor(@Inject(TELEMETRY_OPTIONS) options: RedlockTelemetryOptions, modules: ModulesContainer) {
    const { resource = 'template', meterProvider = metrics, tracerProvider = trace } = options;
    const meter = meterProvider.getMeter(SCOPE);
    const pools = () => poolsOf(modules);
    new LockMetrics(meter, resource, pools).observe(this.#subscriptions);
    new LeaderMetrics(meter).observe(this.#subscriptions);
    new NodeMetrics(meter, pools).observe(this.#subscriptions);
    new OnceMetrics(meter, resource).observe(this.#subscriptions);
    const tracer = tracerProvider.getTracer(SCOPE);
    new OnceSpans(tracer, resource).observe(this.#subscriptions);
    new LockSpans(tracer, resource).observe(this.#subscriptions);
  }

  onApplicationShutdown(): void {
    this.#subscriptions.end();
  }
}
