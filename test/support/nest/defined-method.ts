import type { LockKey } from '../../../lib/with-lock/key/lock-key.js';
import type { WithLockOptions } from '../../../lib/with-lock/run/lock-plan.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';

/** Defines a class with a method `Users.create` as a user would, with whatever TypeScript would not let through. */
export function define(key: unknown, options?: unknown): void {
  class Users {
    create(): void {}
  }
  const descriptor = Object.getOwnPropertyDescriptor(Users.prototype, 'create')!;
  WithLock(key as LockKey, options as WithLockOptions)(Users.prototype, 'create', descriptor);
}
