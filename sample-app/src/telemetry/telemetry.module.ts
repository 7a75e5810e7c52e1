import { Module, type DynamicModule } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { RedlockTelemetryModule } from 'nestjs-redlock/opentelemetry';
import { readSettings } from '../settings.js';

/** Metrics of all locks for Prometheus. Without METRICS_PORT no part of OpenTelemetry's SDK is loaded. */
@Module({})
export class TelemetryModule {
  static async forRoot(): Promise<DynamicModule> {
    await ConfigModule.envVariablesLoaded;
    const { HOST, METRICS_PORT } = readSettings(process.env);
    if (METRICS_PORT === undefined) return { module: TelemetryModule };
    const { MetricsServer } = await import('./metrics-server.js');
    const server = new MetricsServer(HOST, METRICS_PORT);
    return {
      module: TelemetryModule,
      imports: [RedlockTelemetryModule.forRoot({ meterProvider: server.meterProvider })],
      providers: [{ provide: MetricsServer, useValue: server }],
    };
  }
}
