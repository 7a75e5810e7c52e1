import { PROCESS_MARK_LENGTH } from '../collections/random.js';

/**
 * The endings of the names of the keys that a node has beside the locks: the line of each lock, the fence counters, the waiting mark (somebody
 * waits on this node), and the trust marker (what a node notes about itself).
 */
export const FAMILIES = { line: '~waiters', fences: '~fence', waiting: '~waiting', node: '~node' } as const;

/** What comes before the mark of a process in the name of the key in which the process says who it is. */
export const PROCESS = '~process:';

const NAMES: readonly string[] = Object.values(FAMILIES);

/**
 * Returns the family whose name a resource ends with, whatever comes before it. For example, under the prefix `app` the resource `:~fence`
 * would have the same key as the fence counters of a pool whose prefix is `app:`.
 */
export function familyAtEnd(resource: string): string | undefined {
  const at = resource.length - PROCESS.length - PROCESS_MARK_LENGTH;
  if (at >= 0 && resource.startsWith(PROCESS, at)) return resource.slice(at);
  return NAMES.find((name) => resource.endsWith(name));
}

/** Returns the family whose name begins at the end of a prefix, so that some resource would complete it: prefix `app~`, resource `fence`. */
export function familyBegunBy(prefix: string): string | undefined {
  const isBegun = (name: string): boolean => {
    for (let length = 1; length < name.length; length += 1) if (prefix.endsWith(name.slice(0, length))) return true;
    return false;
  };
  return [...NAMES, PROCESS].find(isBegun) ?? (isInProcessMark(prefix) ? PROCESS : undefined);
}

/** Returns whether a prefix ends within the mark of a process, or right before it. */
function isInProcessMark(prefix: string): boolean {
  const at = prefix.lastIndexOf(PROCESS);
  return at >= 0 && prefix.length - at - PROCESS.length < PROCESS_MARK_LENGTH;
}
