import { describe, expect, it } from '@jest/globals';
import { LockKeyError } from '../../../lib/core/errors.js';
import { toResources } from '../../../lib/core/resources.js';

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

  it('shows only the beginning of what is too long', () => {
    expect(refusal('x'.repeat(100_000)).message.length).toBeLessThan(200);
  });

  it.each(['order~waiters', '~waiters', '~waiting'])('refuses %s, which is what stands beside a lock', (resource) => {
    expect(refusal(resource).message).toContain(`"${resource}" is the name of what stands beside a lock`);
  });

  it.each(['waiters', '~waiters:7', 'a~waiting'])('takes %s', (resource) => {
    expect(toResources(resource)).toEqual([resource]);
  });

  it('refuses a resource that stands twice, and names it', () => {
    const error = refusal(['a', 'b', 'a']);
    expect(error.message).toContain('"a" stands there twice');
    expect(error.resources).toEqual(['a']);
  });

  it('keeps a list of its own, so that what the caller does to theirs changes no lock', () => {
    const given = ['a', 'b'];
    const resources = toResources(given);
    given.length = 0;
    expect(resources).toEqual(['a', 'b']);
  });
});
