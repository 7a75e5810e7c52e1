import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { RedlockModule, RedlockService } from 'nestjs-redlock';
import { RedlockTesting, RedlockTestingModule, type RedlockTestingOptions } from 'nestjs-redlock/testing';
import { eventually } from '../../support/eventually.js';

/** What keeps this process alive; Jest has things of its own. */
function openHandles(): number {
  return process.getActiveResourcesInfo().filter((kind) => /^(TCP|Timeout|Immediate)/.test(kind)).length;
}

describe('an application under test that was closed', () => {
  it.each<[NonNullable<RedlockTestingOptions['clock']>]>([['real'], ['manual']])(
    'leaves nothing behind that keeps the process alive, whatever was open on a %s clock',
    async (clock) => {
      const before = openHandles();
      const pool = RedlockModule.forRoot({ nodes: ['redis://127.0.0.1:1'] });
      const imports = [pool, RedlockTestingModule.forRoot({ clock, shutdownTimeout: 20 })];
      const module = await Test.createTestingModule({ imports }).compile();
      module.useLogger(false);
      await module.init();
      const [testing, redlock] = [module.get(RedlockTesting), module.get(RedlockService)];
      const kept = await redlock.acquire('kept', { autoExtend: true });
      testing.hold('held', { ttl: 60_000 });
      const given = [redlock.acquire('held'), redlock.acquire(['held', 'kept'], { waitTimeout: Infinity })].map(
        (promise) => promise.catch((error: { code: unknown }) => error.code),
      );
      await testing.until('contended', 'held', 2);
      testing.nodes[0]!.slow(600_000);
      const late = await redlock.acquire('late', { ttl: 5_000 });
      testing.nodes[1]!.freeze();
      const extended = late.extend().catch((error: { code: unknown }) => error.code);
      await module.close();
      expect(await Promise.all([...given, extended])).toEqual(['CLOSED', 'CLOSED', 'LOCK_LOST']);
      expect(kept.isValid).toBe(false);
      // A socket that an earlier test closed is gone a little later.
      await eventually(() => expect(openHandles()).toBeLessThanOrEqual(before));
    },
  );
});
