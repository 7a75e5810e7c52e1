import { describe, expect, it } from '@jest/globals';
import { FAMILIES, familyAtEnd, familyBegunBy } from '../../../../lib/core/port/key-families.js';
import { BATCH_SCRIPT } from '../../../../lib/redis/scripts/batch-script.js';
import { DISTRUST } from '../../../../lib/redis/scripts/trust-script.js';

describe('the families of keys beside the locks', () => {
  const names: readonly string[] = Object.values(FAMILIES);

  it.each(names)('are found at the end of a resource, wherever that is: %s', (name) => {
    for (const resource of [name, `:${name}`, `a${name}`]) expect(familyAtEnd(resource)).toBe(name);
    expect(familyAtEnd(`${name}:a`)).toBeUndefined();
  });

  it.each(names)('are found where a prefix begins one that a resource can complete: %s', (name) => {
    for (let length = 1; length < name.length; length += 1) {
      const prefix = `app:${name.slice(0, length)}`;
      expect(familyBegunBy(prefix)).toBeDefined();
      expect(familyAtEnd(prefix + name.slice(length))).toBe(name);
    }
    expect(familyBegunBy(`app:${name}:`)).toBeUndefined();
  });

  it('are all that the scripts know', () => {
    const known = `${BATCH_SCRIPT}${DISTRUST}`.match(/~\w+/g) ?? [];
    expect(known.filter((name) => !names.includes(name))).toEqual([]);
  });
});
