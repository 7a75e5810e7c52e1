import type { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { PrometheusExporter } from '@opentelemetry/exporter-prometheus';

export const METRICS = 'metrics';

@Controller('metrics')
export class MetricsController {
  constructor(@Inject(METRICS) private readonly exporter: PrometheusExporter) {}

  @Get()
  show(@Req() request: IncomingMessage, @Res() response: ServerResponse): void {
    this.exporter.getMetricsRequestHandler(request, response);
  }
}
