import { describe, expect, it } from '@jest/globals';
import { kindOf } from '../../../../../lib/redis/connection/settings/option-values.js';

describe('kindOf', () => {
  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    ['', 'an empty text'],
    ['s3cret', 'a value of type string'],
    [{ password: 's3cret' }, 'a value of type object'],
  ])('says what %j is, and does not show it', (value, kind) => {
    expect(kindOf(value)).toBe(kind);
  });
});
