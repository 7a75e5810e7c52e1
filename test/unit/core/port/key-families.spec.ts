import { describe, expect, it } from '@jest/globals';
import { FAMILIES, PROCESS, familyAtEnd, familyBegunBy } from '../../../../lib/core/port/key-families.js';
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

  it('are found when a resource ends like the key of a process note', () => {
    const key = `${PROCESS}k3Jd9_`;
    for (const resource of [key, `:${key}`, `a${key}`]) expect(familyAtEnd(resource)).toBe(key);
    for (const resource of [PROCESS, key.slice(0, -1), `${key}:a`, `${key}a`]) {
      expect(familyAtEnd(resource)).toBeUndefined();
    }
  });

  it('are found where a prefix begins such a key, up to the last character of its mark', () => {
    const key = `${PROCESS}k3Jd9_`;
    for (let length = 1; length < key.length; length += 1) {
      expect(familyBegunBy(`app:${key.slice(0, length)}`)).toBeDefined();
    }
    expect(familyBegunBy(`app:${key}`)).toBeUndefined();
  });

  it('are all that the scripts know', () => {
    const known = `${BATCH_SCRIPT}${DISTRUST}`.match(/~\w+/g) ?? [];
    expect(known.filter((name) => !names.includes(name))).toEqual([]);
  });
});
