import type { NodeSession } from '../nodes/node-session.js';
import { patternsFor, resourceOf } from './key-names.js';
import { FREE } from './kinds.js';
import { lockViews, type LockView } from './lock-view.js';
import { scan } from './scan.js';

export interface LockList {
  readonly locks: readonly LockView[];
  /** True where there are more than the limit. */
  readonly isCut: boolean;
}

/** Finds the locks, and the lines, whose resources fit a pattern; at most `limit` of them, in the order of their names. */
export async function listLocks(
  sessions: readonly NodeSession[],
  { pattern, limit }: { readonly pattern: string; readonly limit: number },
): Promise<LockList> {
  const found = new Set<string>();
  for (const session of sessions.filter(({ isUp }) => isUp)) {
    await session.attempt(() =>
      findResources(session, pattern, (resources) => {
        for (const resource of resources) found.add(resource);
        return found.size <= limit;
      }),
    );
  }
  const resources = [...found].sort().slice(0, limit);
  const locks = await lockViews(sessions, resources);
  // What has ended between SCAN and now is no lock any more.
  return { locks: locks.filter((lock) => lock.kind !== FREE || lock.waiters.length > 0), isCut: found.size > limit };
}

/** Calls `found` with the resources of a node that fit a pattern, some at a time, until it returns false. */
async function findResources(
  session: NodeSession,
  pattern: string,
  found: (resources: readonly string[]) => boolean,
): Promise<void> {
  const { keyPrefix } = session.settings;
  for (const keys of patternsFor(keyPrefix, pattern)) {
    await scan(session, keys, (names) => found(names.flatMap((name) => resourceOf(keyPrefix, name) ?? [])));
  }
}
