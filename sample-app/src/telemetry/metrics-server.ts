import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** Serves `GET /metrics` on a port of its own, which is not for the public, until the application has shut down. */
export class MetricsServer implements OnModuleInit, OnApplicationShutdown {
  readonly #exporter: PrometheusExporter;
  readonly meterProvider: MeterProvider;

  constructor(host: string, port: number) {
    this.#exporter = new PrometheusExporter({ host, port, preventServerStart: true });
    this.meterProvider = new MeterProvider({ readers: [this.#exporter] });
  }

  onModuleInit(): Promise<void> {
    return this.#exporter.startServer();
  }

  onApplicationShutdown(): Promise<void> {
    return this.meterProvider.shutdown();
  }
}
