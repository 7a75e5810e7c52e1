import 'reflect-metadata';
import type { LockKey } from '../../../lib/with-lock/key/lock-key.js';
import type { WithLockOptions } from '../../../lib/with-lock/run/lock-plan.js';
import type { LockService } from '../../../lib/with-lock/run/run-locked.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';
import { bound } from './bound.js';

/** A method as a compiler without `emitDecoratorMetadata` leaves it: nothing says what it returns. */
export type Method = (this: unknown, ...args: never[]) => unknown;

interface Decorated {
  readonly service?: LockService;
  readonly key?: LockKey;
  readonly options?: WithLockOptions;
}

/** Returns the method of a new object, decorated by hand. The object has a service if there is one. */
export function lockedByHand<M extends Method>(method: M, { service, key = 'work:<0>', options }: Decorated): M {
  class Service {}
  const descriptor = { value: method, writable: true, configurable: true };
  WithLock(key, options)(Service.prototype, 'work', descriptor as PropertyDescriptor);
  Object.defineProperty(Service.prototype, 'work', descriptor);
  const object = (service ? bound(new Service(), service) : new Service()) as { work: M };
  return object.work.bind(object) as M;
}
