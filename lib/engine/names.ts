/** The first part of a resource, which may name a kind of things, such as `user` in `user:42`. A value may begin behind it. */
const KIND = /^[\p{L}\p{N}_ .-]*/u;
const SEPARATOR = /[:/|#]/;
/** White space, or at least seven digits, as in numbers that belong to a person: no name of a kind contains these. */
const PERSONAL = /\s|(?:\d\D*){7}/;
/** How many characters of a kind are shown at most. */
const LONGEST = 64;

/** Returns resources as messages and log lines name them: without what follows the first separator, which may be somebody's address. */
export function shown(resources: readonly string[]): string {
  return quoted(resources.map(masked));
}

/** Returns resources by their full names. */
export function quoted(resources: readonly string[]): string {
  return resources.map((resource) => `"${resource}"`).join(', ');
}

function masked(resource: string): string {
  const [kind = ''] = KIND.exec(resource) ?? [];
  if (PERSONAL.test(kind)) return '*';
  if (kind.length > LONGEST) return `${kind.slice(0, LONGEST)}...`;
  if (kind.length === resource.length) return resource;
  const separator = resource[kind.length]!;
  // Without a separator, the kind may end in the middle of a value.
  return SEPARATOR.test(separator) && kind !== '' ? `${kind}${separator}*` : '*';
}
