import { toPlan, type WithLockOptions } from '../../../lib/with-lock/run/lock-plan.js';
import type { LockedRun } from '../../../lib/with-lock/run/run-locked.js';
import type { StubService } from './stub-service.js';

/** One call of a method that locks `a` by this service, with these options of the method. */
export function runOn(service: StubService, options: WithLockOptions = {}, more: Partial<LockedRun> = {}): LockedRun {
  return { service, plan: toPlan('a', options, 'here'), resources: () => ['a'], ...more };
}
