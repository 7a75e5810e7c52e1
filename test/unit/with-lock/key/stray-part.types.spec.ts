import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import { createWithLock } from '../../../../lib/with-lock/create-with-lock.js';
import type { ArgumentMistake, StrayPartOf } from '../../../../lib/with-lock/key/key-check.types.js';
import { WithLock } from '../../../../lib/with-lock/with-lock.decorator.js';

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
          // @ts-expect-error -- A variable of a shell.
          @WithLock('user:$email')
          variable(): void {}
        }
        return Users;
      },
      (): unknown => {
        class Users {
          // @ts-expect-error -- As printf has it.
          @WithLock('user:%s')
          format(): void {}
        }
        return Users;
      },
      (): unknown => {
        class Users {
          // @ts-expect-error -- There are no optional parts.
          @WithLock('user:<body.email?>')
          maybe(): void {}
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
    for (const definition of definitions) expect(definition).toThrow(/the same for all calls|is not a path/);
    // @ts-expect-error -- Compared with a body, too.
    expect(() => createWithLock<{ email: string }>()('user:{email}')).not.toThrow();
  });

  it('says what it is', () => {
    expectTypeOf<
      StrayPartOf<'user:#{body.email}'>
    >().toEqualTypeOf<'{body.email} is the same for all calls; write <body.email>, or a key function'>();
    expectTypeOf<
      StrayPartOf<'body.email'>
    >().toEqualTypeOf<'body.email is the same for all calls; write <body.email>, or a key function'>();
    expectTypeOf<
      StrayPartOf<':email'>
    >().toEqualTypeOf<':email is the same for all calls; write <params.email>, or a key function'>();
  });

  it('says what to write for the position of an argument, a variable, a format and what is no path', () => {
    expectTypeOf<
      StrayPartOf<'user:{0}'>
    >().toEqualTypeOf<'{0} is the same for all calls; write <0>, or a key function'>();
    expectTypeOf<
      StrayPartOf<'user:#email'>
    >().toEqualTypeOf<'email is the same for all calls; write <body.email>, or a key function'>();
    expectTypeOf<
      StrayPartOf<'user:%s:a'>
    >().toEqualTypeOf<'% is the same for all calls; write <body.email>, or a key function'>();
    expectTypeOf<
      StrayPartOf<'user:<0>:<body.email?>'>
    >().toEqualTypeOf<'<body.email?> is no path; write <body.email>'>();
    expectTypeOf<
      StrayPartOf<'#42' | 'price:$5' | 'issue#comments' | 'done: 50%' | 'name:%d0%bf' | '100%sure'>
    >().toBeNever();
    expectTypeOf<StrayPartOf<`user:<${string}>`>>().toBeNever();
  });

  it('lets names and real parts through, and what it does not know', () => {
    expectTypeOf<StrayPartOf<'report:daily' | 'a:b:c' | 'user.created' | 'user:<body.email>:<0>::<1>'>>().toBeNever();
    expectTypeOf<StrayPartOf<'window:12:30' | 'a::' | 'release:10.4' | '{<0>}' | 'user:<0>:email'>>().toBeNever();
    expectTypeOf<StrayPartOf<string>>().toBeNever();
    expectTypeOf<StrayPartOf<`${string}:report`>>().toBeNever();
    expectTypeOf<ArgumentMistake<'user:{0}', [string]>>().toEqualTypeOf<StrayPartOf<'user:{0}'>>();
  });
});
