import { Module } from '@nestjs/common';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { RedlockModule } from 'nestjs-redlock';
import { RedlockTelemetryModule, type RedlockTelemetryOptions } from 'nestjs-redlock/opentelemetry';
import { METRICS, MetricsController } from './metrics.controller.js';
import { OrdersController } from './orders.controller.js';

const exporter = new PrometheusExporter({ preventServerStart: true });
const telemetry: RedlockTelemetryOptions = { meterProvider: new MeterProvider({ readers: [exporter] }) };

@Module({
  imports: [
    RedlockModule.forRootAsync({
      isGlobal: true,
      useFactory: () => ({
        nodes: (process.env.REDLOCK_NODES ?? '').split(','),
        keyPrefix: process.env.KEY_PREFIX,
        restartQuarantine: false,
        // No answer is late on a machine that does ten other things.
        nodeTimeout: 2_000,
        defaults: { waitTimeout: 30_000 },
      }),
    }),
    RedlockTelemetryModule.forRoot(telemetry),
  ],
  controllers: [OrdersController, MetricsController],
  providers: [{ provide: METRICS, useValue: exporter }],
})
export class AppModule {}

// Were the types not found, everything would be `any`, and this no error.
// @ts-expect-error -- there is no such naming
export const wrong: RedlockTelemetryOptions = { resource: 'all' };
