import { describe, expect, it } from '@jest/globals';
import { LockCall, lockCalls } from '../../../../lib/with-lock/run/lock-call.js';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';

const plan = toPlan('a', {}, 'here');
const other = toPlan('a', {}, 'there');

describe('LockCall', () => {
  it('is for the method with its plan only', () => {
    const call = new LockCall({ plan, request: {}, run: {} });
    expect([call.isFor(plan), call.isFor(other)]).toEqual([true, false]);
    expect(call.enter(other)).toBe(false);
    expect(call.isFor(plan)).toBe(true);
  });

  it('is entered once: what the method itself calls locks for itself', () => {
    const call = new LockCall({ plan, request: {}, run: {} });
    expect([call.enter(plan), call.enter(plan), call.isFor(plan)]).toEqual([true, false, false]);
  });

  it('is found by what runs in its context, and by nothing else', async () => {
    const call = new LockCall({ plan, request: {}, run: {} });
    const found = lockCalls.run(call, async () => {
      await Promise.resolve();
      return lockCalls.getStore();
    });
    expect(lockCalls.getStore()).toBeUndefined();
    expect(await found).toBe(call);
  });
});
