/** What may be the name of a kind of things, up to where a value may begin. */
const KIND = /^[\p{L}\p{N}_ .-]*/u;
const SEPARATOR = /[:/|#]/;
/** A blank, or as many digits as numbers of people have, is in no name of a kind. */
const PERSONAL = /\s|(?:\d\D*){7}/;
/** Characters of a kind that are shown. */
const LONGEST = 64;

/** Resources as messages and log lines name them: what follows the first separator may be anybody's address. */
export function shown(resources: readonly string[]): string {
  return quoted(resources.map(masked));
}

/** Resources by their whole names. */
export function quoted(resources: readonly string[]): string {
  return resources.map((resource) => `"${resource}"`).join(', ');
}

function masked(resource: string): string {
  const [kind = ''] = KIND.exec(resource) ?? [];
  if (PERSONAL.test(kind)) return '*';
  if (kind.length > LONGEST) return `${kind.slice(0, LONGEST)}...`;
  if (kind.length === resource.length) return resource;
  const separator = resource[kind.length]!;
  // Else it may be in the midst of a value.
  return SEPARATOR.test(separator) && kind !== '' ? `${kind}${separator}*` : '*';
}
