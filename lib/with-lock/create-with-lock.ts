import type { KeyMistake } from './key/key-check.types.js';
import type { LockDecorator } from './lock-decorator.js';
import type { WithLockOptions } from './run/lock-plan.js';
import { WithLock } from './with-lock.decorator.js';
import { mistake } from '../engine/codes.js';

/** A `@WithLock` whose keys the compiler checks against `T`. */
export interface TypedWithLock<T> {
  <Key extends string>(
    key: Fitting<Key, T> | readonly Fitting<Key, T>[],
    options?: WithLockOptions,
  ): LockDecorator<Key>;
}

/** The key, or a text that says what is wrong with it. */
type Fitting<Key extends string, T> = Key extends unknown
  ? [KeyMistake<Key, T>] extends [never]
    ? Key
    : KeyMistake<Key, T>
  : never;

/**
 * Returns a `@WithLock` whose keys the compiler checks. `T` is the type of the body, or an object type with some of body, params, query, headers,
 * user and data.
 * @example
 * ```ts
 * const WithUserLock = createWithLock<RegisterDto>(); // or <{ body: RegisterDto; params: { id: string } }>
 *
 * @Post()
 * @WithUserLock('user:<body.email|trim|lower>')
 * async register(@Body() body: RegisterDto) {}
 * ```
 */
export function createWithLock<T>(): TypedWithLock<T>;
export function createWithLock<T>(...nothing: readonly never[]): TypedWithLock<T> {
  if (nothing.length > 0)
    throw mistake(
      'REDLOCK_E04',
      "createWithLock takes nothing: write const WithUserLock = createWithLock<User>(), and @WithUserLock('...')",
    );
  return WithLock as TypedWithLock<T>;
}
