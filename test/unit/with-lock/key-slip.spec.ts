import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import { createWithLock } from '../../../lib/with-lock/create-with-lock.js';
import { compileKey, type LockKey } from '../../../lib/with-lock/lock-key.js';
import type { ArgumentMisfit } from '../../../lib/with-lock/key-misfit.js';
import type { KeySlipOf } from '../../../lib/with-lock/key-slip.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';

/** Defines a class as a user would, with a key that the compiler does not see. */
function define(key: LockKey): void {
  class Users {
    create(): void {}
  }
  WithLock(key)(Users.prototype, 'create', Object.getOwnPropertyDescriptor(Users.prototype, 'create')!);
}

describe('a part that is not written as one', () => {
  it.each([
    ['user:{body.email}', '{body.email}', '<body.email>'],
    ['user:${body.email}', '${body.email}', '<body.email>'],
    ['user:#{body.email}', '#{body.email}', '<body.email>'],
    ['user:{{ body.email }}', '{{ body.email }}', '<body.email>'],
    ['user:{email}', '{email}', '<body.email>, <params.email> or <0.email>'],
    ['user:{}', '{}', '<body.email>, <params.email> or <0.email>'],
    ['user:{0.email}', '{0.email}', '<0.email>'],
    ['tenant:<params.id>:{body.email}', '{body.email}', '<body.email>'],
    ['user:body.email', 'body.email', '<body.email>'],
    ['body.email', 'body.email', '<body.email>'],
    ['user:req.body.email', 'req.body.email', '<body.email>'],
    ['user:body?.email', 'body?.email', '<body.email>'],
    ["user:body['email']", "body['email']", '<body.email>'],
    ['user-body.email', 'body.email', '<body.email>'],
    ['user:$body.email', 'body.email', '<body.email>'],
    ['order:user.id', 'user.id', '<user.id>'],
    ['order:data.id', 'data.id', '<data.id>'],
    ['order:<0>:params.id', 'params.id', '<params.id>'],
    ['user:0.email', '0.email', '<0.email>'],
    ['user::email', ':email', '<body.email>, <params.email> or <0.email>'],
    [':email', ':email', '<body.email>, <params.email> or <0.email>'],
    ['users/:id', ':id', '<body.id>, <params.id> or <0.id>'],
  ])('is refused where the class is defined, with what to write: %s', (key, found, meant) => {
    const message = `@WithLock on Users.create: The lock key "${key}" is malformed: "${found}" is the same for all calls, which would share one lock; write ${meant}. `;
    for (const written of [key, ['all', key]]) {
      expect(() => define(written)).toThrow(TypeError);
      expect(() => define(written)).toThrow(message);
    }
    expect(() => define(key)).toThrow(/let a key function return it$/);
  });

  it('may be the name all the same, of a key function', () => {
    const names = ['user:{body.email}', 'user::email'];
    expect(compileKey(() => names).resolve({ args: [] })).toEqual(names);
  });

  it.each([
    'report:daily',
    'a:b:c',
    'report: daily',
    'nightly',
    'v1.2',
    'release:10.4',
    'user.created',
    'data.export',
    'embody.soul',
    'app.user.created',
    'order:users.all',
    'window:12:30',
    'a>b',
    '#42',
    'price:$5',
    'user:body',
    'a::',
    '{half',
    'half}',
    'user:<0>::<1>',
    'user:<0>:email',
    'user:<0>.user.name',
    '{<0>}:b',
  ])('is none in %j', (key) => {
    expect(() => compileKey(key)).not.toThrow();
  });
});

// What is expected of the compiler is checked by the compiler (npm run typecheck).
describe('the compiler', () => {
  it('refuses it, too', () => {
    const definitions = [
      (): unknown => {
        class Users {
          // @ts-expect-error -- Braces.
          @WithLock('user:{body.email}')
          braces(): void {}
        }
        return Users;
      },
      (): unknown => {
        class Users {
          // @ts-expect-error -- A template literal of another kind.
          @WithLock('user:${body.email}')
          dollar(): void {}
        }
        return Users;
      },
      (): unknown => {
        class Users {
          // @ts-expect-error -- No brackets, in one of two keys.
          @WithLock(['all', 'user:body.email'])
          bare(): void {}
        }
        return Users;
      },
      (): unknown => {
        class Users {
          // @ts-expect-error -- A parameter of a route.
          @WithLock('tenant:<0>:user::email')
          parameter(_id: string): void {}
        }
        return Users;
      },
    ];
    for (const definition of definitions) expect(definition).toThrow(/the same for all calls/);
    // @ts-expect-error -- Compared with a body, too.
    expect(() => createWithLock<{ email: string }>()('user:{email}')).not.toThrow();
  });

  it('says what it is', () => {
    expectTypeOf<
      KeySlipOf<'user:#{body.email}'>
    >().toEqualTypeOf<'{body.email} is the same for all calls; write <body.email>, or a key function'>();
    expectTypeOf<
      KeySlipOf<'body.email'>
    >().toEqualTypeOf<'body.email is the same for all calls; write <body.email>, or a key function'>();
    expectTypeOf<
      KeySlipOf<':email'>
    >().toEqualTypeOf<':email is the same for all calls; write <params.email>, or a key function'>();
  });

  it('lets names and real parts through, and what it does not know', () => {
    expectTypeOf<KeySlipOf<'report:daily' | 'a:b:c' | 'user.created' | 'user:<body.email>:<0>::<1>'>>().toBeNever();
    expectTypeOf<KeySlipOf<'window:12:30' | 'a::' | 'release:10.4' | '{<0>}' | 'user:<0>:email'>>().toBeNever();
    expectTypeOf<KeySlipOf<string>>().toBeNever();
    expectTypeOf<KeySlipOf<`${string}:report`>>().toBeNever();
    expectTypeOf<ArgumentMisfit<'user:{0}', [string]>>().toBeNever();
  });
});
