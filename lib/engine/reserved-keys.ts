/**
 * The endings of the keys that a node has beside the locks: the queue of a lock and the deposits of those who wait in it, the fence counters, the
 * mark that somebody waits on this node, and the marker by which clients notice a restart.
 */
export const RESERVED = {
  queue: '~queue',
  places: '~places',
  fences: '~fence',
  waiting: '~waiting',
  node: '~node',
} as const;

const ENDINGS: readonly string[] = Object.values(RESERVED);

/**
 * Returns the reserved ending of a resource, whatever comes before it. For example, under the prefix `app` the resource `:~fence` would have the
 * same key as the fence counters of a pool whose prefix is `app:`.
 */
export function reservedEndingOf(resource: string): string | undefined {
  return ENDINGS.find((ending) => resource.endsWith(ending));
}

/** Returns the reserved ending that begins at the end of a prefix, so that some resource would complete it: prefix `app~`, resource `fence`. */
export function reservedEndingBegunBy(prefix: string): string | undefined {
  const isBegun = (ending: string): boolean => {
    for (let length = 1; length < ending.length; length += 1) if (prefix.endsWith(ending.slice(0, length))) return true;
    return false;
  };
  return ENDINGS.find(isBegun);
}
