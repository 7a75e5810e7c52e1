import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { createWithLock } from '../../../lib/with-lock/create-with-lock.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';

describe('WithLock, without brackets', () => {
  const bare = WithLock as unknown as MethodDecorator & PropertyDecorator & ParameterDecorator & ClassDecorator;
  const typed = createWithLock<{ email: string }>() as unknown as MethodDecorator;
  const create = createWithLock as unknown as MethodDecorator;

  it.each<[string, () => unknown, RegExp]>([
    [
      'a method',
      () => {
        class Users {
          @bare
          create(): void {}
        }
        return Users;
      },
      /^@WithLock on Users\.create: write @WithLock\('\.\.\.'\) with a key/,
    ],
    [
      'a method, as a decorator of createWithLock',
      () => {
        class Users {
          @typed
          create(): void {}
        }
        return Users;
      },
      /^@WithLock on Users\.create: write @WithLock/,
    ],
    [
      'a static method with a symbol for its name',
      () => {
        class Users {
          @bare
          static [Symbol.iterator](): void {}
        }
        return Users;
      },
      /^@WithLock on Users\.Symbol\(Symbol\.iterator\): write/,
    ],
    [
      'a property',
      () => {
        class Users {
          @bare
          readonly name = 'a';
        }
        return Users;
      },
      /^@WithLock on Users\.name: write/,
    ],
    [
      'a parameter',
      () => {
        class Users {
          create(@bare _user: object): void {}
        }
        return Users;
      },
      /^@WithLock on Users\.create: write/,
    ],
    [
      'a class',
      () => {
        @bare
        class Users {}
        return Users;
      },
      /^@WithLock on Users: write @WithLock\('\.\.\.'\) .* above a method \[REDLOCK_E08\]$/,
    ],
    [
      'a method, as createWithLock itself',
      () => {
        class Users {
          @create
          create(): void {}
        }
        return Users;
      },
      /^createWithLock takes nothing: write const/,
    ],
  ])('says on %s what to write', (_case, definition, message) => {
    expect(definition).toThrow(expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(message) }));
  });
});
