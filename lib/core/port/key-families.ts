/**
 * What the names of the keys end in that stand beside the locks on a node: the line of each lock, the fence counters, the mark that
 * somebody waits, and what a node notes of itself.
 */
export const FAMILIES = { line: '~waiters', fences: '~fence', waiting: '~waiting', node: '~node' } as const;

const NAMES: readonly string[] = Object.values(FAMILIES);

/**
 * Which of these a resource ends in. Wherever that stands: behind the prefix `app`, the resource `:~fence` has the very key of the fence
 * counters of a pool whose prefix is `app:`.
 */
export function familyAtEnd(resource: string): string | undefined {
  return NAMES.find((name) => resource.endsWith(name));
}

/** Which of these begins at the end of a prefix, so that some resource would complete it. */
export function familyBegunBy(prefix: string): string | undefined {
  return NAMES.find((name) => {
    for (let length = 1; length < name.length; length += 1) if (prefix.endsWith(name.slice(0, length))) return true;
    return false;
  });
}
