import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import { KEY_FILTERS, type KeyFilter } from '../../../../lib/with-lock/key/key-template.js';
import type { ArgumentMistake, KeyMistake } from '../../../../lib/with-lock/lock-decorator.js';

interface Person {
  readonly email: string;
  readonly friends?: readonly Person[];
}

describe('KeyMistake', () => {
  it('is never where the key is right, or not known', () => {
    expectTypeOf<KeyMistake<'user:<body.email|trim>', Person>>().toBeNever();
    expectTypeOf<KeyMistake<'user:<body.friends.0.friends.1.friends.2.email>', Person>>().toBeNever();
    expectTypeOf<KeyMistake<string, Person>>().toBeNever();
    expectTypeOf<KeyMistake<`${string}:<body.email>`, Person>>().toBeNever();
    expectTypeOf<KeyMistake<`user:<body.${string}>`, Person>>().toBeNever();
    expectTypeOf<KeyMistake<'user:<body.anything>', any>>().toBeNever(); // oxlint-disable-line typescript/no-explicit-any
    expectTypeOf<KeyMistake<'user:<body.anything>', unknown>>().toBeNever();
  });

  it('says what is wrong, and all of it', () => {
    expectTypeOf<
      KeyMistake<'user:<body.emial>', Person>
    >().toEqualTypeOf<'<body.emial> leads to no text, number or boolean'>();
    expectTypeOf<KeyMistake<'<body.friends.0.emial>:<bdoy.email|lowre>', Person>>().toEqualTypeOf<
      | '<body.friends.0.emial> leads to no text, number or boolean'
      | '<bdoy.email> begins with none of body, params, query, headers, user, data, parent and args'
      | 'lowre is none of the filters trim, lower, upper and hash'
    >();
  });

  it('knows all filters', () => {
    const names: Record<KeyFilter, true> = { trim: true, lower: true, upper: true, hash: true };
    expect(Object.keys(KEY_FILTERS)).toEqual(Object.keys(names));
  });
});

describe('ArgumentMistake', () => {
  it('looks at the arguments only', () => {
    expectTypeOf<ArgumentMistake<'user:<0.email>:<body.emial>', [Person]>>().toBeNever();
    expectTypeOf<
      ArgumentMistake<'user:<0.emial>:<body.emial>', [Person]>
    >().toEqualTypeOf<'<0.emial> leads to no text, number or boolean'>();
  });
});
