import { describe, expect, it } from '@jest/globals';
import { LockLostError } from '../../../../lib/engine/errors.js';
import type { Lock } from '../../../../lib/engine/lock.js';
import { assertHeld } from '../../../../lib/with-lock/run/run-locked.js';
import { StubLock } from '../../../support/nest/stub-lock.js';

describe('assertHeld', () => {
  it('lets work begin under a lock that is held, under none, and under a double that knows nothing of it', () => {
    for (const lock of [new StubLock(['a']), undefined, {} as Lock]) expect(() => assertHeld(lock)).not.toThrow();
  });

  it('refuses a lock that is over, for the reason that the lock itself gives', () => {
    const lock = new StubLock(['a']);
    const lost = lock.lose();
    expect(() => assertHeld(lock)).toThrow(lost);
  });

  it('refuses a double that is over and gives no reason', () => {
    const double = { isValid: false, resources: ['a'] } as unknown as Lock;
    expect(() => assertHeld(double)).toThrow(LockLostError);
  });
});
