import { describe, expect, it } from '@jest/globals';
import { LockKeyError } from '../../../../lib/engine/errors.js';
import { KeyDefinitionError } from '../../../../lib/with-lock/key/key-roots.js';
import { compileKey, type LockKey, namesOf } from '../../../../lib/with-lock/key/lock-key.js';

const resolve = (key: LockKey, ...args: unknown[]): readonly string[] =>
  compileKey(key).resolve({ request: { body: args[0] }, args });

describe('compileKey', () => {
  it.each<[string, LockKey, readonly string[]]>([
    ['a literal', 'report', ['report']],
    ['a template', 'user:<0.id>', ['user:1']],
    ['several templates', ['user:<0.id>', 'mail:<0.mail>', 'all'], ['user:1', 'mail:a@b', 'all']],
    ['a function', ({ id }: { id: number }) => `user:${id}`, ['user:1']],
    ['a function of several', ({ id, mail }: { id: number; mail: string }) => [`user:${id}`, mail], ['user:1', 'a@b']],
    ['a function of a later argument', (_body: unknown, second: string) => second, ['second']],
  ])('makes resources of %s', (_case, key, resources) => {
    expect(resolve(key, { id: 1, mail: 'a@b' }, 'second')).toEqual(resources);
  });

  it.each<[string, LockKey, boolean]>([
    ['a template on the request', 'user:<body.id>', false],
    ['a template on an argument', 'user:<0.id>', true],
    ['one of several on an argument', ['all', '<0>'], true],
    ['a function', () => 'all', true],
  ])('knows whether the arguments are needed for %s', (_case, key, needed) => {
    expect(compileKey(key).needsArguments).toBe(needed);
  });

  it.each<[string, unknown]>([
    ['no template', []],
    ['something else than text', ['a', 5]],
    ['a number', 5],
    ['nothing', undefined],
    ['null', null],
    ['an object', { key: 'a' }],
    ['an empty text', ''],
    ['an empty text among others', ['a', '']],
    ['a malformed template among others', ['a', '<body.']],
    ['the same template twice', ['a:<0>', 'b', 'a:<0>']],
  ])('refuses %s where the class is defined', (_case, key) => {
    expect(() => compileKey(key as LockKey)).toThrow(TypeError);
  });

  it.each<[string, unknown]>([
    ['an empty text', ''],
    ['nothing', undefined],
    ['null', null],
    ['an array with a hole', ['a', undefined]],
    ['an array with nulls and empty texts', [null, 'a', '']],
  ])('refuses a function that returns %s, as what a client left out', (_case, result) => {
    expect(() => resolve((() => result) as unknown as LockKey)).toThrow(LockKeyError);
  });

  it.each<[string, unknown]>([
    ['a number that is none', NaN],
    ['an endless number', -Infinity],
    ['an object', {}],
    ['a function', () => 'a'],
    ['a symbol', Symbol('a')],
    ['an empty array', []],
    ['an array with an object', ['a', {}]],
    ['an array with a number that is none, beside a hole', [undefined, NaN]],
    ['an array in an array', [['a']]],
    ['a promise', Promise.resolve('a')],
  ])('refuses a function that returns %s, as a mistake of its author', (_case, result) => {
    expect(() => resolve((() => result) as unknown as LockKey)).toThrow(KeyDefinitionError);
  });

  it('refuses what a function makes of a part that is missing, or has no text, within another text', () => {
    const user = (part: unknown) => (): string => `user:${String(part)}`;
    expect(() => resolve(user(undefined))).toThrow(LockKeyError);
    expect(() => resolve(() => ['a', 'undefined'])).toThrow(/"undefined"/);
    expect(() => resolve(user({ id: 7 }))).toThrow(KeyDefinitionError);
    expect(resolve(user('undefinedly'))).toEqual(['user:undefinedly']);
  });

  it('takes numbers of a function as a template does', () => {
    expect(resolve(() => 7)).toEqual(['7']);
    expect(resolve(() => [7, 8n, 'a'])).toEqual(['7', '8', 'a']);
  });

  it('makes one resource of keys that come out the same', () => {
    expect(resolve(['a:<0.x>', 'a:<0.y>'], { x: 1, y: '1' })).toEqual(['a:1']);
    expect(resolve(() => ['a', 'b', 'a'])).toEqual(['a', 'b']);
  });

  it('refuses keys of more than 512 bytes, and says how many there are', () => {
    expect(resolve('<0>', 'x'.repeat(512))).toEqual(['x'.repeat(512)]);
    expect(() => resolve('<0>', 'x'.repeat(513))).toThrow(LockKeyError);
    expect(() => resolve('<0>', 'ä'.repeat(257))).toThrow(/512.*514/);
    expect(resolve('<0|hash>', 'x'.repeat(513))).toHaveLength(1);
  });

  it('hands on what a key function throws', () => {
    const error = new Error('no tenant');
    expect(() =>
      resolve(() => {
        throw error;
      }),
    ).toThrow(error);
  });
});

describe('namesOf', () => {
  it.each<[string, string | string[], unknown[]]>([
    ['a template without parts', 'user:', ['a@b']],
    ['more than the template reads', 'user:<0>', ['a@b', 'c@d']],
    ['one that none of the templates reads', ['user:<0.id>', 'mail:<2|lower>'], [{ id: 1 }, 'x', 'A']],
  ])('refuses an argument that is not read, since all such calls would share one lock: %s', (_case, template, args) => {
    expect(() => namesOf(template, args)).toThrow(
      /^key: nothing in ".*" reads argument \d; write <\d> where it belongs \[REDLOCK_E04\]$/,
    );
  });

  it('takes arguments in any order, and parts of them', () => {
    expect(namesOf(['user:<1.id>', 'mail:<args.0|lower>'], ['A', { id: 1 }])).toEqual(['user:1', 'mail:a']);
  });
});
