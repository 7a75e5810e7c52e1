import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import getPort from 'get-port';
import { parseScrape, type Series } from '../scrape.js';

const HOST = '127.0.0.1';

/** The SDK of OpenTelemetry, with metrics for a Prometheus server and with spans in memory. */
export class Telemetry {
  readonly #spans = new InMemorySpanExporter();
  readonly #url: string;
  readonly tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.#spans)] });

  private constructor(
    port: number,
    readonly meterProvider: MeterProvider,
  ) {
    this.#url = `http://${HOST}:${port}/metrics`;
  }

  static async start(): Promise<Telemetry> {
    const port = await getPort({ host: HOST });
    const exporter = new PrometheusExporter({ host: HOST, port, preventServerStart: true });
    await exporter.startServer();
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    return new Telemetry(port, new MeterProvider({ readers: [exporter] }));
  }

  get spans(): readonly ReadableSpan[] {
    return this.#spans.getFinishedSpans();
  }

  /** What a Prometheus server gets. */
  async text(): Promise<string> {
    const answer = await fetch(this.#url);
    return answer.text();
  }

  async scrape(): Promise<Series[]> {
    return parseScrape(await this.text());
  }

  async stop(): Promise<void> {
    context.disable();
    await Promise.all([this.meterProvider.shutdown(), this.tracerProvider.shutdown()]);
  }
}
