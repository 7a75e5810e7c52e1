import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import * as terminus from '../../lib/terminus/index.js';
import type { RedlockHealthIndicator, RedlockHealthOptions } from '../../lib/terminus/index.js';

describe('the public surface of nestjs-redlock/terminus', () => {
  it('is this, and nothing more', async () => {
    expect(Object.keys(terminus)).toEqual(['RedlockHealthIndicator']);
    const source = await readFile(new URL('../../lib/terminus/index.ts', import.meta.url), 'utf8');
    expect(source.match(/export type .*/g)).toEqual([
      "export type { RedlockHealthOptions } from './redlock-health.indicator.js';",
    ]);
  });

  // The types are checked by the compiler (npm run typecheck).
  it('has these options and this method', () => {
    expectTypeOf<RedlockHealthOptions>().toEqualTypeOf<{
      pool?: string;
      whenDown?: 'down' | 'degraded';
      details?: boolean;
      timeout?: number;
    }>();
    expectTypeOf<keyof RedlockHealthIndicator>().toEqualTypeOf<'check'>();
    expectTypeOf<RedlockHealthIndicator['check']>().toBeCallableWith('locks', { pool: 'billing' });
    expectTypeOf<RedlockHealthIndicator['check']>().returns.resolves.toExtend<HealthIndicatorResult>();
  });
});
