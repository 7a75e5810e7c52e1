/**
 * What may stay on a node when no client holds or wants anything: the marker of the node, and counters of tokens. (The
 * places in line of clients that were killed stay as well, for a minute at most or until the resource is wanted again.)
 */
export function leaksOf(keys: readonly (readonly string[])[], prefix: string, names: ReadonlySet<string>): string[] {
  return keys.flatMap((found, index) =>
    found.filter((key) => isLeak(key, prefix, names)).map((key) => `${key} on node ${index + 1}`),
  );
}

function isLeak(key: string, prefix: string, names: ReadonlySet<string>): boolean {
  const name = key.startsWith(prefix) ? key.slice(prefix.length) : key;
  return names.has(name);
}
