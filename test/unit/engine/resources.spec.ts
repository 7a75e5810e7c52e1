import { describe, expect, it } from '@jest/globals';
import { LockKeyError } from '../../../lib/engine/errors.js';
import { toResources } from '../../../lib/engine/resources.js';

const refusal = (resource: unknown): LockKeyError => {
  try {
    toResources(resource as string);
  } catch (error) {
    return error as LockKeyError;
  }
  throw new Error('it was accepted');
};

describe('toResources', () => {
  it.each([
    ['a', ['a']],
    [['a'], ['a']],
    [
      ['b', 'a'],
      ['b', 'a'],
    ],
    ['x'.repeat(512), ['x'.repeat(512)]],
    ['é'.repeat(256), ['é'.repeat(256)]],
  ])('takes %j', (resource, resources) => {
    expect(toResources(resource)).toEqual(resources);
  });

  it.each([
    ['an empty string', '', 'an empty string'],
    ['an empty string among others', ['a', ''], 'an empty string'],
    ['an empty array', [], 'an empty array'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a number', 7, 'number'],
    ['a number among others', ['a', 7], 'number'],
    ['undefined among others', ['a', undefined], 'undefined'],
    ['an object', { id: 1 }, 'object'],
  ])('refuses %s and says what it got', (_case, resource, got) => {
    const error = refusal(resource);
    expect(error).toBeInstanceOf(LockKeyError);
    expect(error.code).toBe('LOCK_KEY');
    expect(error.message).toContain(`got ${got}`);
  });

  it('refuses an array with holes', () => {
    expect(refusal(Array(2))).toBeInstanceOf(LockKeyError);
  });

  it.each([
    ['513 bytes', 'x'.repeat(513), 513],
    ['fewer characters but more bytes', 'é'.repeat(257), 514],
  ])('refuses %s and names the bound', (_case, resource, bytes) => {
    expect(refusal(resource).message).toMatch(new RegExp(`at most 512 bytes.* has ${bytes}`));
  });

  it('names no value that it refuses, except the reserved ends', () => {
    const address = 'ann@example.com';
    const unusable = ['x'.repeat(600), '\ud800', '~queue', '~places'].map((end) => `user:${address}${end}`);
    for (const resource of unusable) {
      expect(refusal(resource).message).toMatch(/"user:\*"/);
      expect(refusal(resource).message).not.toMatch(/ann|k3Jd9_/);
    }
    expect(refusal([`user:${address}`, `user:${address}`]).message).toMatch(/Duplicate resource "user:\*"/);
  });

  it('shows only the beginning of what is too long', () => {
    expect(refusal('x'.repeat(100_000)).message.length).toBeLessThan(200);
  });

  it.each([
    'order~queue',
    '~queue',
    '~waiting',
    ':~fence',
    'a:~fence',
    'a~fence',
    'a~waiting',
    ':~waiting',
    '~node',
    ':~node',
    '~places',
    ':~places',
  ])('refuses %s, which is what stands beside a lock', (resource) => {
    const { message, resources } = refusal(resource);
    expect(message).toContain('which is reserved for keys beside locks');
    expect(resources).toEqual([resource]);
  });

  it('says which end of a name is taken', () => {
    const error = refusal(':~fence');
    expect(error.message).toMatch(/ends in "~fence".*choose another name/);
    expect(error.resources).toEqual([':~fence']);
  });

  it.each(['\uD800', 'a\uDC00', '\uDC00\uD800', 'user:\uDBFFx'])(
    'refuses %j, since halves of surrogate pairs are all one character on the nodes',
    (resource) => {
      expect(refusal(resource)).toBeInstanceOf(LockKeyError);
      expect(refusal(resource).message).toMatch(
        /not well-formed Unicode.*half of a surrogate pair.*different resources/,
      );
    },
  );

  it.each(['waiters', '~queue:7', '~fences', 'a~nodes', '~process:k3Jd9_', '~', 'a\uD83D\uDE00b'])(
    'takes %s',
    (resource) => {
      expect(toResources(resource)).toEqual([resource]);
    },
  );

  it.each([
    ['128 where nothing else is said', 128, undefined],
    ['what it is told to', 3, 3],
  ])('takes %s, and no more: it names the bound and what to do', (_case, most, given) => {
    const names = Array.from({ length: most + 1 }, (_, index) => `a:${index}`);
    expect(toResources(names.slice(1), given)).toHaveLength(most);
    expect(() => toResources(names, given)).toThrow(RangeError);
    expect(() => toResources(names, given)).toThrow(
      new RegExp(`at most ${most} resources at once; got ${most + 1}\\. Lock one name.*several locks.*maxResources`),
    );
  });

  it('looks at nothing of a list that is too long', () => {
    expect(refusal(Array(1e9)).message).toContain('got 1000000000');
  });

  it('refuses a resource that stands twice, and names it', () => {
    const error = refusal(['a', 'b', 'a']);
    expect(error.message).toContain('Duplicate resource "a"');
    expect(error.resources).toEqual(['a']);
  });

  it('keeps a list of its own, so that what the caller does to theirs changes no lock', () => {
    const given = ['a', 'b'];
    const resources = toResources(given);
    given.length = 0;
    expect(resources).toEqual(['a', 'b']);
  });
});
