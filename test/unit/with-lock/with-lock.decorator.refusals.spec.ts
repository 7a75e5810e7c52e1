import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, Observable, of } from 'rxjs';
import { RedlockError } from '../../../lib/engine/errors.js';
import { createWithLock, WithLock } from '../../../lib/with-lock/with-lock.decorator.js';
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

  class Users {
    static async create(): Promise<void> {}
    readonly find = (): void => undefined;
    get all(): string[] {
      return [];
    }
    async *later(): AsyncGenerator<string> {}
    *now(): Generator<string> {}
    register(): void {}
    static [Symbol.iterator](): void {}
  }
  type Decorator = (target: object, name?: string | symbol, third?: unknown) => void;
  const decorate = (decorator: unknown, target: object, name?: string | symbol): void =>
    (decorator as Decorator)(target, name, name && Object.getOwnPropertyDescriptor(target, name));
  const create = createWithLock<{ email: string }>();

  it.each<[string, object, string, RegExp]>([
    ['a static method', Users, 'create', /methods of instances/],
    ['a getter', Users.prototype, 'all', /methods of instances/],
    ['a property that holds a function', Users.prototype, 'find', /methods of instances/],
    ['an asynchronous generator, which runs when it is read', Users.prototype, 'later', /generator/],
    ['a generator', Users.prototype, 'now', /generator/],
  ])('refuses %s, and says why', (_case, target, name, why) => {
    const definition = (): void => decorate(WithLock('a'), target, name);
    expect(definition).toThrow(TypeError);
    expect(definition).toThrow(new RegExp(`Users\\.${name}.*${why.source}`));
  });

  it.each<[string, unknown, object, string | symbol | undefined, RegExp]>([
    [
      'a method',
      WithLock,
      Users.prototype,
      'register',
      /^@WithLock on Users\.register: write @WithLock\('\.\.\.'\) with a key/,
    ],
    [
      'a method, of createWithLock',
      create,
      Users.prototype,
      'register',
      /^@WithLock on Users\.register: write @WithLock/,
    ],
    ['a static method', WithLock, Users, Symbol.iterator, /^@WithLock on Users\.Symbol\(Symbol\.iterator\): write/],
    ['a property or a parameter', WithLock, Users.prototype, 'find', /^@WithLock on Users\.find: write/],
    [
      'a class',
      WithLock,
      Users,
      undefined,
      /^@WithLock on Users: write @WithLock\('\.\.\.'\) .* above a method \[REDLOCK_E08\]$/,
    ],
    [
      'a method, as createWithLock itself',
      createWithLock,
      Users.prototype,
      'register',
      /^createWithLock takes nothing: write const/,
    ],
  ])('says without brackets on %s what to write', (_case, decorator, target, name, message) => {
    expect(() => decorate(decorator, target, name)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(message) }),
    );
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
