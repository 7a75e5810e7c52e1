/** Says what a value is without showing it, since it may hold a password. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return value === '' ? 'an empty text' : `a value of type ${typeof value}`;
}
