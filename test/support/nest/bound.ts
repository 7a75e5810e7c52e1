import { serviceProperty } from '../../../lib/with-lock/with-lock.decorator.js';
import type { LockService } from '../../../lib/with-lock/run/run-locked.js';

/** Gives an object that the test made the service that Nest would inject for its `@WithLock` methods. */
export function bound<T extends object>(object: T, service: LockService, pool = ''): T {
  Object.defineProperty(object, Symbol.for(serviceProperty(pool === '' ? undefined : pool)), { value: service });
  return object;
}
