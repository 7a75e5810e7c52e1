import { describe, expect, it } from '@jest/globals';
import { named } from '../../../lib/cli/locks/holders.js';

describe('a holder in one line', () => {
  it.each([
    [{}, 'another library'],
    [{ mark: 'k3Jd9_' }, 'process k3Jd9_, which says nothing of itself'],
    [{ mark: 'k3Jd9_', host: 'web-1', pid: 7 }, 'web-1, pid 7 (k3Jd9_)'],
    [{ mark: 'k3Jd9_', host: 'web-1', pid: 7, application: 'orders' }, 'orders on web-1, pid 7 (k3Jd9_)'],
  ])('%j is %s', (holder, words) => {
    expect(named(holder)).toBe(words);
  });
});
