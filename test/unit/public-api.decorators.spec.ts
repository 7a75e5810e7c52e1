import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import * as api from '../../lib/index.js';
import type { LockDecorator, LockKey, TypedWithLock, WithLockOptions } from '../../lib/index.js';

describe('the public surface', () => {
  it('has these decorators', () => {
    expectTypeOf(api.WithLock).toEqualTypeOf<
      <const Key extends LockKey>(key: Key, options?: WithLockOptions) => LockDecorator<Key>
    >();
    expectTypeOf<LockDecorator<LockKey>>().toExtend<MethodDecorator>();
    expectTypeOf(api.createWithLock<{ id: string }>).returns.toEqualTypeOf<TypedWithLock<{ id: string }>>();
    expectTypeOf(api.createWithLock).parameters.toEqualTypeOf<[]>();
    expectTypeOf<LockKey>().toEqualTypeOf<
      | string
      | readonly string[]
      | ((...args: never[]) => string | number | bigint | readonly (string | number | bigint)[])
    >();
    expectTypeOf(api.CurrentLock).toEqualTypeOf<() => ParameterDecorator>();
    expect(api.WithLock('a')).toBeInstanceOf(Function);
  });
});
