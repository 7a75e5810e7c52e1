import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Body, Controller, Inject, Post, type Type } from '@nestjs/common';
import { context, trace, type Tracer } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { Redis } from 'ioredis';
import { WithLock } from 'nestjs-redlock';
import { RedlockTelemetryModule } from 'nestjs-redlock/opentelemetry';
import { eventually } from '../../support/eventually.js';
import { poolOn } from '../../support/nest/nodes.js';
import { Telemetry } from '../../support/nest/telemetry.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll } from '../../support/redis-server.js';

const TRACER = 'tracer';

@Controller('users')
class Users {
  constructor(@Inject(TRACER) private readonly tracer: Tracer) {}

  @Post()
  @WithLock('user:<body.email>')
  async register(@Body() { email }: { email: string }): Promise<{ email: string }> {
    await this.tracer.startActiveSpan('INSERT', async (span) => {
      await sleep(1);
      span.end();
    });
    return { email };
  }
}

/** Makes a span of each command that has a parent, as the instrumentation of ioredis does. */
function instrument(tracer: Tracer): void {
  const { sendCommand } = Redis.prototype;
  jest.spyOn(Redis.prototype, 'sendCommand').mockImplementation(function (this: Redis, ...args) {
    if (trace.getActiveSpan() === undefined) return sendCommand.apply(this, args);
    const span = tracer.startSpan(args[0].name);
    const sent = sendCommand.apply(this, args) as Promise<unknown> | undefined;
    span.end();
    return sent;
  });
}

/** The spans under one, by the order in which they began; equal neighbours, such as commands to three nodes, are one. */
function treeUnder(parent: ReadableSpan | undefined, spans: readonly ReadableSpan[], indent = ''): string[] {
  const children = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent?.spanContext().spanId);
  const lines = children
    .toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1])
    .map((span) => [`${indent}${span.name}`, ...treeUnder(span, spans, `${indent}  `)]);
  const texts = lines.map((each) => each.join('\n'));
  return lines.filter((_, index) => texts[index] !== texts[index - 1]).flat();
}

describe('the tree of spans', () => {
  let telemetry: Telemetry;
  let app: TestApp;
  let tracer: Tracer;
  const start = async (): Promise<void> => {
    const servers = await startRedisServers(3);
    const { meterProvider, tracerProvider } = telemetry;
    const imports = [poolOn(servers), RedlockTelemetryModule.forRoot({ meterProvider, tracerProvider })];
    const controllers: Type[] = [Users];
    const providers = [{ provide: TRACER, useValue: tracer }];
    app = await tracer.startActiveSpan('start', async (span) => {
      const started = await TestApp.start('Express', { imports, controllers, providers }, (nest) => {
        // As the instrumentation of HTTP does.
        nest.use((request: { method: string; path: string }, response: NodeJS.EventEmitter, next: () => void) => {
          const own = tracer.startSpan(`${request.method} ${request.path}`, { root: true });
          response.on('finish', () => own.end());
          context.with(trace.setSpan(context.active(), own), next);
        });
      });
      span.end();
      return started;
    });
  };
  const tree = (): string[] => treeUnder(undefined, telemetry.spans);
  const inSpan = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    tracer.startActiveSpan(name, { root: true }, async (span) => {
      try {
        return await work();
      } finally {
        span.end();
      }
    });

  beforeEach(async () => {
    telemetry = await Telemetry.start();
    tracer = telemetry.tracerProvider.getTracer('test');
    instrument(tracer);
    await start();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await closeApps();
    await telemetry.stop();
    await stopAll();
  });

  it('has the work and the release of a route in hold, and the question to the nodes in acquire', async () => {
    await app.post('users', { email: 'ann@example.org' });
    const expected = [
      'start',
      'POST /users',
      '  acquire user:<body.email>',
      '    evalsha',
      '  hold user:<body.email>',
      '    INSERT',
      '    evalsha',
    ];
    await eventually(() => expect(tree()).toEqual(expected));
  });

  it('has extensions in hold, with their commands, and none in the start of the application', async () => {
    await inSpan('job', () =>
      app.redlock.withLock(
        'report',
        async () => {
          const extended = (): boolean => telemetry.spans.some(({ name }) => name === 'extend report');
          await eventually(() => expect(extended()).toBe(true));
          await inSpanBelow('work');
        },
        { label: 'report', ttl: 900 },
      ),
    );
    const expected = [
      'start',
      'job',
      '  acquire report',
      '    evalsha',
      '  hold report',
      '    extend report',
      '      evalsha',
      '    work',
      '    evalsha',
    ];
    await eventually(() => expect(tree()).toEqual(expected));
  });
  const inSpanBelow = (name: string): Promise<void> =>
    tracer.startActiveSpan(name, async (span) => {
      await sleep(1);
      span.end();
    });

  it('has acquire and hold beside each other, and the release in hold from wherever it is asked for', async () => {
    const lock = await inSpan('request', () => app.redlock.acquire('order:7', { label: 'order' }));
    await lock.extend();
    await inSpan('later', () => lock.release());
    const expected = [
      'start',
      'request',
      '  acquire order',
      '    evalsha',
      '  hold order',
      '    extend order',
      '      evalsha',
      '    evalsha',
      'later',
    ];
    await eventually(() => expect(tree()).toEqual(expected));
  });

  it('has the work of a nested call in that call, and not again in the lock around it', async () => {
    const nested = (): Promise<void> =>
      app.redlock.withLock('order:7', () => inSpanBelow('inner'), { label: 'order', reentrant: true });
    await inSpan('request', () =>
      app.redlock.withLock(
        'order:7',
        () => tracer.startActiveSpan('outer', (span) => nested().finally(() => span.end())),
        {
          label: 'order',
        },
      ),
    );
    const expected = [
      'start',
      'request',
      '  acquire order',
      '    evalsha',
      '  hold order',
      '    outer',
      '      acquire order',
      '      inner',
      '    evalsha',
    ];
    await eventually(() => expect(tree()).toEqual(expected));
  });
});
