import { createHash, createHmac } from 'node:crypto';

/**
 * Returns what is kept to tell one request from another: a hash of the content, from which nobody can find the content by trying. Objects are equal
 * whatever the order of their properties.
 * @param secret makes the hash an HMAC; without one it is salted with the key
 */
export function fingerprintOf(content: unknown, key: string, secret: string | undefined): string {
  const hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  return hash.update(`${key.length}:${key}`).update(canonicalJson(content)).digest('base64url');
}

/** Returns JSON with sorted properties; equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  // Within a list, so that nothing has a text as well.
  return JSON.stringify([value], function replaced(this: Record<string, unknown>, name: string, part: unknown) {
    // The bytes themselves, and not what their `toJSON` makes of them: a number of each.
    return sorted(this[name] instanceof Uint8Array ? this[name] : part);
  });
}

function sorted(value: unknown): unknown {
  if (typeof value === 'bigint') return { bigint: value.toString() };
  if (value instanceof Uint8Array) return { bytes: createHash('sha256').update(value).digest('base64url') };
  if (value instanceof Map || value instanceof Set) return [...(value as Iterable<unknown>)];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value).sort();
  // Defines the properties, so that one with the name `__proto__` is one as well.
  return Object.fromEntries(names.map((name) => [name, (value as Record<string, unknown>)[name]]));
}
