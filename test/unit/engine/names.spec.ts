import { describe, expect, it } from '@jest/globals';
import { quoted, shown } from '../../../lib/engine/names.js';

describe('names of resources, as messages show them,', () => {
  it.each([
    ['nightly', 'nightly'],
    ['report-2026.11', 'report-2026.11'],
    ['user:ann@example.com', 'user:*'],
    ['user:42:profile', 'user:*'],
    ['users/42', 'users/*'],
    ['größe:42', 'größe:*'],
    ['ann@example.com', '*'],
    ['Ann <ann@example.com>', '*'],
    ['ann+tag@example.com:x', '*'],
    [':ann@example.com', '*'],
    ['{tag}:ann', '*'],
    ['Ann Smith', '*'],
    ['user-Ann Smith', '*'],
    ['123-45-6789', '*'],
    ['Ann Smith:42', '*'],
  ])('say the kind of "%s", and no value: "%s"', (resource, name) => {
    expect(shown([resource])).toBe(`"${name}"`);
  });

  it('show only the beginning of what is long', () => {
    expect(shown(['x'.repeat(1_000)])).toBe(`"${'x'.repeat(64)}..."`);
  });

  it('say each of several', () => {
    expect(shown(['account:1', 'nightly'])).toBe('"account:*", "nightly"');
    expect(quoted(['account:1', 'nightly'])).toBe('"account:1", "nightly"');
  });
});
