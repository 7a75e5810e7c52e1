import { readFile } from 'node:fs/promises';
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { describe, expect, it } from '@jest/globals';
import type { DynamicModule } from '@nestjs/common';
import { expectTypeOf } from 'expect-type';
import * as opentelemetry from '../../lib/opentelemetry/index.js';
import type { RedlockTelemetryModule, RedlockTelemetryOptions } from '../../lib/opentelemetry/index.js';

describe('the public surface of nestjs-redlock/opentelemetry', () => {
  it('is this, and nothing more', async () => {
    expect(Object.keys(opentelemetry)).toEqual(['RedlockTelemetryModule']);
    const source = await readFile(new URL('../../lib/opentelemetry/index.ts', import.meta.url), 'utf8');
    expect(source.match(/export type .*/g)).toEqual([
      "export type { RedlockTelemetryOptions } from './redlock-telemetry.options.js';",
    ]);
  });

  // The types are checked by the compiler (npm run typecheck).
  it('has these options and this method', () => {
    expectTypeOf<RedlockTelemetryOptions>().toEqualTypeOf<{
      resource?: 'template' | 'value' | 'none';
      meterProvider?: MeterProvider;
      tracerProvider?: TracerProvider;
    }>();
    expectTypeOf<keyof typeof RedlockTelemetryModule>().toEqualTypeOf<'prototype' | 'forRoot'>();
    expectTypeOf<(typeof RedlockTelemetryModule)['forRoot']>().returns.toEqualTypeOf<DynamicModule>();
  });
});
