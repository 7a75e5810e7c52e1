import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockService } from '../../../lib/redlock.service.js';
import { redlockMatchers, type RedlockMatchers } from '../../../lib/testing/matchers.js';
import { RedlockTesting } from '../../../lib/testing/redlock-testing.js';
import { RedlockTestingModule } from '../../../lib/testing/redlock-testing.module.js';

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>> extends RedlockMatchers<R> {}
}

expect.extend(redlockMatchers);

describe('the matchers', () => {
  let module: TestingModule;
  let testing: RedlockTesting;

  beforeEach(async () => {
    const imports = [RedlockTestingModule.forRoot({ clock: 'manual', pools: ['billing'] })];
    module = await Test.createTestingModule({ imports }).compile();
    testing = module.get(RedlockTesting);
  });

  afterEach(() => module.close());

  it('know what is locked', () => {
    expect(testing).toHaveNoLocks();
    expect(testing).not.toHaveLocked('a');
    testing.hold('a');
    expect(testing).toHaveLocked('a');
    expect(testing).not.toHaveNoLocks();
    expect(testing.pool('billing')).toHaveNoLocks();
  });

  it('know what was acquired', async () => {
    const service = module.get(RedlockService);
    expect(testing).not.toHaveAcquired('a');
    expect(testing).toHaveAcquired('a', 0);
    await service.withLock('a', () => undefined);
    await service.withLock('a', () => undefined);
    expect(testing).toHaveAcquired('a');
    expect(testing).toHaveAcquired('a', 2);
    expect(testing).not.toHaveAcquired('a', 1);
    expect(testing).not.toHaveAcquired('b');
  });

  it('know the number of waiters', async () => {
    const held = testing.hold('a');
    const waiting = module.get(RedlockService).withLock('a', () => undefined);
    expect(testing).toHaveWaiting('a', 1);
    held.release();
    await waiting;
    expect(testing).toHaveWaiting('a', 0);
  });

  it('say what was found', () => {
    testing.hold('a');
    testing.hold('b');
    const says = (assert: () => void, message: string): void => expect(assert).toThrow(message);
    says(() => expect(testing).toHaveLocked('c'), 'expected "c" to be locked; locked is "a", "b"');
    says(() => expect(testing).not.toHaveLocked('a'), 'expected not "a" to be locked; locked is "a", "b"');
    says(() => expect(testing).toHaveNoLocks(), 'expected nothing to be locked; locked is "a", "b"');
    says(() => expect(testing).toHaveAcquired('c'), 'expected "c" to have been acquired at least once; it was 0 times');
    says(() => expect(testing).toHaveAcquired('c', 2), '"c" to have been acquired 2 times; it was 0 times');
    says(() => expect(testing).toHaveWaiting('a', 2), 'expected 2 callers to wait for "a"; 0 do');
    testing.reset();
    says(() => expect(testing).not.toHaveNoLocks(), 'expected not nothing to be locked; nothing is locked');
  });

  it.each([undefined, null, {}, 'a'])('refuse %p', (other) => {
    expect(() => expect(other).toHaveLocked('a')).toThrow(TypeError);
  });
});
