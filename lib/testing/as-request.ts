import { LockCall, lockCalls } from '../with-lock/run/lock-call.js';
import type { LockPlan } from '../with-lock/run/lock-plan.js';

/** Runs `work` as if an HTTP request had led to it. The request belongs to no handler in particular, so each locked method takes its own lock. */
export function asRequest<T>(request: object, work: () => T): T {
  const plan = { where: 'a test' } as LockPlan;
  return lockCalls.run(new LockCall({ plan, request, run: {} }), work);
}
