import type { Locker } from '../../../lib/with-lock/run/locker.js';

/** Gives an object that the test made the service that Nest would inject for its `@WithLock` methods. */
export function bound<T extends object>(object: T, locker: Locker, pool = ''): T {
  Object.defineProperty(object, Symbol.for(`nestjs-redlock:service:${pool}`), { value: locker });
  return object;
}
