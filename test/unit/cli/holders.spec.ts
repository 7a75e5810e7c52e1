import { describe, expect, it } from '@jest/globals';
import { named } from '../../../lib/cli/locks/lock-view.js';

describe('a holder in one line', () => {
  it.each([
    [{}, 'another library'],
    [{ mark: 'orders@web-1#7', host: 'web-1', pid: 7, application: 'orders' }, 'orders on web-1, pid 7'],
  ])('%j is %s', (holder, words) => {
    expect(named(holder)).toBe(words);
  });
});
