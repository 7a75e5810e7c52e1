import { FAMILIES, familyAtEnd } from '../../core/port/key-families.js';

/** Returns a pattern of SCAN that fits this text only. */
export function literal(text: string): string {
  return text.replaceAll(/[\\*?[\]^-]/g, '\\$&');
}

/** Returns the patterns of SCAN for the keys of resources that fit `pattern`, and of the lines for them. */
export function patternsFor(keyPrefix: string, pattern: string): string[] {
  const keys = `${literal(keyPrefix)}${pattern}`;
  // A line may be there without its lock.
  return pattern.endsWith('*') ? [keys] : [keys, `${keys}${FAMILIES.line}`];
}

/** Returns the resource to which a key belongs; undefined for what a node has beside locks and their lines. */
export function resourceOf(keyPrefix: string, key: string): string | undefined {
  const name = key.slice(keyPrefix.length);
  const family = familyAtEnd(name);
  if (family === undefined) return name === '' ? undefined : name;
  return family === FAMILIES.line && name !== family ? name.slice(0, -family.length) : undefined;
}
