import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { RedlockModule } from '../../lib/redlock.module.js';
import { RedlockTestingModule } from '../../lib/testing/index.js';
import { WithLock } from '../../lib/with-lock/with-lock.decorator.js';

@Injectable()
class Reports {
  @WithLock('report', { ttl: 30, waitTimeout: 0 })
  async make(): Promise<void> {}

  @WithLock('nightly', { ttl: 30_000, onContended: 'skip' })
  async nightly(): Promise<void> {}
}

describe('a duration that looks like seconds', () => {
  let warnings: jest.SpiedFunction<Logger['warn']>;
  beforeEach(() => void (warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined)));
  afterEach(() => warnings.mockRestore());

  const warned = async (pool: Parameters<typeof Module>[0]['imports']): Promise<string[]> => {
    const module = await Test.createTestingModule({ imports: pool!, providers: [Reports] }).compile();
    await module.close();
    return warnings.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('seconds?'));
  };

  it('is warned of once, in options of the module, its defaults and a decorator', async () => {
    const options = { enabled: false, maxTtl: 60_000, defaults: { ttl: 20, waitTimeout: 8 } };
    expect(await warned([RedlockModule.forRoot(options)])).toEqual([
      'RedlockModule: defaults: ttl is 20 ms; seconds? All durations are milliseconds [REDLOCK_W14]',
      'RedlockModule: defaults: waitTimeout is 8 ms; seconds? All durations are milliseconds [REDLOCK_W14]',
      '@WithLock on Reports.make: ttl is 30 ms; seconds? All durations are milliseconds [REDLOCK_W14]',
    ]);
  });

  it('is not warned of in a test without Redis', async () => {
    expect(await warned([RedlockTestingModule.forRoot({ defaults: { ttl: 20 } })])).toEqual([]);
  });
});
