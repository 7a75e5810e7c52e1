import { describe, expect, it } from '@jest/globals';
import { LockKeyError } from '../../../../lib/engine/errors.js';
import { KeyDefinitionError } from '../../../../lib/with-lock/key/key-roots.js';
import { KeyTemplate } from '../../../../lib/with-lock/key/key-template.js';

const keyOf = (text: string, body: unknown): string => new KeyTemplate(text).fill({ request: { body }, args: [body] });

const UNUSABLE: [string, unknown][] = [
  ['missing', undefined],
  ['null', null],
  ['empty', ''],
  ['an object', { name: 'x' }],
  ['an empty object', {}],
  ['an array', ['x']],
  ['NaN', NaN],
  ['Infinity', -Infinity],
  ['a symbol', Symbol('id')],
  ['a function', () => 'x'],
  ['a date', new Date(0)],
  ['an object that can turn itself into text', { toString: () => 'x' }],
];

describe('KeyTemplate, where a part cannot be used', () => {
  describe.each([
    'user:<body.id>',
    'user:<0.id>',
    '<body.id|trim|lower>',
    '<body.id|hash>',
    '<body.id|trim|hash>',
    '<body.id>:<body.ok>',
  ])('%s', (text) => {
    it.each(UNUSABLE)('refuses one that is %s', (_case, id) => {
      expect(() => keyOf(text, { id, ok: 'y' })).toThrow(LockKeyError);
    });
  });

  it.each(['<body.id|trim>', '<body.id|trim|upper>', '<body.id|trim|hash>'])(
    'refuses blanks that %s takes away',
    (text) => {
      expect(() => keyOf(text, { id: ' \t\n' })).toThrow(LockKeyError);
    },
  );

  it.each([
    ['an absent root', undefined],
    ['a root that is null', null],
    ['a root that is a text', 'id'],
    ['a root that is a number', 5],
  ])('refuses a path into %s', (_case, body) => {
    expect(() => keyOf('<body.id>', body)).toThrow(LockKeyError);
    expect(() => keyOf('<0.id>', body)).toThrow(LockKeyError);
  });

  it.each(UNUSABLE.slice(3))('takes a property of the user that is %s for a mistake of the guard', (_case, id) => {
    for (const [text, user] of [
      ['user:<user.id|lower>', { id }],
      ['user:<user>', id],
    ] as const)
      expect(() => new KeyTemplate(text).fill({ request: { user } })).toThrow(KeyDefinitionError);
  });

  it('says what to write in the place of a property of the user that is an object', () => {
    const user = { _id: { secret: 'secret' } };
    expect(() => new KeyTemplate('user:<user._id>').fill({ request: { user } })).toThrow(
      /^user\._id is not a text.*the guard has set it, not the client\. Write a property that is a string(?!.*secret)/,
    );
  });

  it('refuses an argument where none are known', () => {
    expect(() => new KeyTemplate('<0.id>').fill({ request: {} })).toThrow(LockKeyError);
  });

  it('refuses a path that ends too early', () => {
    expect(() => keyOf('<body.a.b.c>', { a: { b: 'text' } })).toThrow(LockKeyError);
    expect(() => keyOf('<3>', {})).toThrow(LockKeyError);
  });

  it.each([
    'toString',
    'constructor',
    '__proto__',
    'constructor.name',
    'toString.name',
    'toString.length',
    '__proto__.id',
    'hasOwnProperty',
  ])('never reads the inherited property %s', (path) => {
    class Base {
      get id(): string {
        return 'of all';
      }
    }
    expect(() => keyOf(`<body.${path}>`, new Base())).toThrow(LockKeyError);
    expect(() => keyOf(`<0.${path}>`, new Base())).toThrow(LockKeyError);
  });

  it('names the part, what is wrong with it and the template', () => {
    expect(() => keyOf('user:<body.email|trim>', {})).toThrow(/body\.email is missing.*user:<body\.email\|trim>/);
    expect(() => keyOf('user:<body.email|trim>', { email: ' ' })).toThrow(/body\.email is empty/);
    expect(() => keyOf('user:<body.email>', { email: {} })).toThrow(/body\.email is not a text, number or boolean/);
  });

  it('keeps the value itself out of the message', () => {
    const secret = ['secret'];
    expect(() => keyOf('<body.token>', { token: secret })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
  });
});
