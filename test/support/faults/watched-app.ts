import { Test, type TestingModule } from '@nestjs/testing';
import { TerminusModule } from '@nestjs/terminus';
import { RedlockModule, RedlockService, type LockEvent } from 'nestjs-redlock';
import { RedlockTelemetryModule } from 'nestjs-redlock/opentelemetry';
import { RedlockHealthIndicator } from 'nestjs-redlock/terminus';
import { Telemetry } from '../nest/telemetry.js';
import type { Series } from '../scrape.js';

/** Ms: how long nodes may have forgotten locks, and how long they may take to answer. */
export const MAX_TTL = 4_000;
export const NODE_TIMEOUT = 300;

interface Health {
  readonly status: string;
  /** By node, why it does not vote. */
  readonly reasons: Readonly<Record<string, string | undefined>>;
}

/** An application on some nodes, and everything that its operator sees of them. */
export class WatchedApp {
  /** Nest has one logger: apps that run at the same time have their lines in one list. */
  static readonly #lines: string[] = [];
  readonly #since = WatchedApp.#lines.length;
  readonly #events: LockEvent[] = [];
  #isClosed = false;

  private constructor(
    private readonly module: TestingModule,
    private readonly telemetry: Telemetry,
  ) {}

  static async start(nodes: readonly string[], maxTtl = MAX_TTL): Promise<WatchedApp> {
    const pool = RedlockModule.forRoot({ nodes: [...nodes], maxTtl, nodeTimeout: NODE_TIMEOUT });
    const telemetry = await Telemetry.start();
    const { meterProvider } = telemetry;
    const imports = [
      pool,
      TerminusModule.forRoot({ logger: false }),
      RedlockTelemetryModule.forRoot({ meterProvider }),
    ];
    const note = (line: string, context?: string): void => {
      if (context === RedlockService.name) WatchedApp.#lines.push(line);
    };
    const logger = { log: note, warn: note, error: (line: string, ...more: string[]) => note(line, more.at(-1)) };
    const builder = Test.createTestingModule({ imports, providers: [RedlockHealthIndicator] }).setLogger(logger);
    const module = await builder.compile();
    const app = new WatchedApp(module, telemetry);
    module.get(RedlockService).events$.subscribe((event) => app.#events.push(event));
    await module.init();
    return app;
  }

  async health(): Promise<Health> {
    const { locks } = await this.module.get(RedlockHealthIndicator).check('locks');
    const { nodes = {} } = locks as { nodes?: Record<string, { reason?: string }> };
    const reasons = Object.entries(nodes).map(([node, { reason }]) => [node, reason] as const);
    return { status: locks.status, reasons: Object.fromEntries(reasons) };
  }

  /** What a Prometheus server gets. */
  scrape(): Promise<Series[]> {
    return this.telemetry.scrape();
  }

  /** The types of the events about a node, or about the pool as a whole; that the node was connected at the start is left out. */
  events(node: string | undefined): string[] {
    const types = this.#events.filter((event) => nodeOf(event) === node).map(({ type }) => type);
    return withoutFirst(types, 'node-up');
  }

  /** The same for the lines of the log. */
  lines(node: string | undefined): string[] {
    const isWanted = (line: string): boolean => (node === undefined ? !line.includes('redis://') : line.includes(node));
    return withoutFirst(WatchedApp.#lines.slice(this.#since).filter(isWanted), `${node} is up`);
  }

  /** After this there are no more lines. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.module.close();
    await this.telemetry.stop();
  }
}

function nodeOf(event: LockEvent): string | undefined {
  return 'node' in event ? event.node : undefined;
}

function withoutFirst(texts: readonly string[], first: string): string[] {
  const at = texts.indexOf(first);
  return texts.filter((_, index) => index !== at);
}
