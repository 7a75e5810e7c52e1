import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, Observable, of } from 'rxjs';
import { RedlockError } from '../../../lib/engine/errors.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';
import { define } from '../../support/nest/defined-method.js';

describe('WithLock, where the class is defined', () => {
  it.each<[string, unknown, unknown, RegExp]>([
    ['a malformed key', 'user:<body.', {}, /"user:<body\." is malformed/],
    ['no key', undefined, {}, /key template/],
    ['an unknown option', 'a', { onContend: 'skip' }, /Users\.create.*onContend"/],
    ['a bad ttl', 'a', { ttl: 0 }, /Users\.create.*ttl.*got 0/],
    ['a bad onContended', 'a', { onContended: 'maybe' }, /Users\.create.*onContended.*maybe/],
    ['a bad name', 'a', { name: '' }, /Users\.create.*name/],
    ['options that are null', 'a', null, /options|null/],
  ])('refuses %s', (_case, key, options, message) => {
    expect(() => define(key, options)).toThrow(message);
  });

  it('refuses static methods, and says why', () => {
    const definition = (): unknown => {
      class Users {
        @WithLock('a')
        static async create(): Promise<void> {}
      }
      return Users;
    };
    expect(definition).toThrow(TypeError);
    expect(definition).toThrow(/Users\.create.*methods of instances/);
  });

  it('refuses getters', () => {
    const definition = (): unknown => {
      class Users {
        // @ts-expect-error -- The compiler refuses it first.
        @WithLock('a')
        get all(): string[] {
          return [];
        }
      }
      return Users;
    };
    expect(definition).toThrow(/Users\.all.*methods of instances/);
  });

  it('refuses generators: their code would run when they are read, and the lock is gone by then', () => {
    const asynchronous = (): unknown => {
      class Users {
        // @ts-expect-error -- The compiler refuses it first.
        @WithLock('a')
        async *all(): AsyncGenerator<string> {
          yield 'a user';
        }
      }
      return Users;
    };
    const synchronous = (): unknown => {
      class Users {
        // @ts-expect-error -- The compiler refuses it first.
        @WithLock('a')
        *all(): Generator<string> {
          yield 'a user';
        }
      }
      return Users;
    };
    for (const definition of [asynchronous, synchronous]) expect(definition).toThrow(/Users\.all.*generator/);
  });

  it('refuses properties, also those that hold a function', () => {
    class Users {
      create = (): void => undefined;
    }
    const decorate = WithLock('a') as unknown as (target: object, name: string) => void;
    expect(() => decorate(Users.prototype, 'create')).toThrow(/Users\.create.*methods of instances/);
  });
});

describe('WithLock, on an object that Nest did not make', () => {
  let ran = 0;

  class Users {
    @WithLock('a')
    async create(): Promise<void> {
      ran += 1;
    }

    @WithLock('a', { name: 'reports', onContended: 'skip' })
    async sum(): Promise<number> {
      return (ran += 1);
    }

    @WithLock('a')
    stream(): Observable<number> {
      return of((ran += 1));
    }
  }

  const { create: detached } = Users.prototype;

  it.each<[string, () => Promise<unknown>]>([
    ['a method that returns a promise', () => new Users().create()],
    ['a method that skips', () => new Users().sum()],
    ['a method that returns an Observable', () => lastValueFrom(new Users().stream())],
    ['a method that was taken off its object', () => detached()],
    ['a method called on null', () => Reflect.apply(Users.prototype.create, null, [])],
  ])('refuses to run %s', async (_case, call) => {
    const error = await call().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(RedlockError);
    expect(error).toMatchObject({
      code: 'NO_SERVICE',
      message: expect.stringMatching(/Users\.\w+ .*did not run.*RedlockModule/),
    });
    expect(ran).toBe(0);
  });
});
