import { describe, expect, it } from '@jest/globals';
import { literal, patternsFor, resourceOf } from '../../../lib/cli/locks/list-locks.js';

describe('the names of keys', () => {
  it('are patterns that fit themselves only', () => {
    expect(literal('a[1-2]*?^\\:')).toBe('a\\[1\\-2\\]\\*\\?\\^\\\\:');
    expect(literal('lock:')).toBe('lock:');
  });

  it('are looked for with those of lines', () => {
    expect(patternsFor('lock:', '*')).toEqual(['lock:*']);
    expect(patternsFor('*', 'order:?')).toEqual(['\\*order:?', '\\*order:?~queue']);
  });

  it.each([
    ['lock:a', 'a'],
    ['lock:a~queue', 'a'],
    ['lock:~queue', undefined],
    ['lock:~fence', undefined],
    ['lock:~waiting', undefined],
    ['lock:~node', undefined],
    ['lock:a~places', undefined],
    ['lock:a~reply', undefined],
    ['lock:~probe~node', undefined],
    ['lock:', undefined],
  ])('lead to resources: %s is %s', (key, resource) => {
    expect(resourceOf('lock:', key)).toBe(resource);
  });
});
