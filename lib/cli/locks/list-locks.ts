import type { NodeSession } from '../nodes/node-session.js';
import { patternsFor, resourceOf, scan } from './keys.js';
import { FREE, lockViews, type LockView } from './lock-view.js';

/** A node whose locks are unknown, and why. */
export interface MissedNode {
  readonly node: string;
  readonly reason: string;
}

export interface LockList {
  readonly locks: readonly LockView[];
  /** True if there are more than the limit. */
  readonly isCut: boolean;
  /** The nodes that may have more locks than those of the list. */
  readonly missed: readonly MissedNode[];
}

export interface ListOptions {
  readonly pattern: string;
  /** How many resources to list at most. */
  readonly limit: number;
}

/** Finds the resources that fit a pattern and are locked or waited for, in the order of their names. */
export async function listLocks(sessions: readonly NodeSession[], { pattern, limit }: ListOptions): Promise<LockList> {
  const found = new Set<string>();
  const take = (resource: string): boolean => found.add(resource).size <= limit;
  const stops = await Promise.all(
    sessions.map((session) => session.attempt(() => findResources(session, pattern, take))),
  );
  const locks = await lockViews(sessions, [...found].sort().slice(0, limit));
  return {
    // What has ended between SCAN and now is no lock any more.
    locks: locks.filter((lock) => lock.kind !== FREE || lock.waiters.length > 0),
    isCut: found.size > limit,
    missed: sessions.flatMap(({ name, obstacle }, index) => {
      const reason = obstacle ?? stops[index];
      return reason === undefined ? [] : [{ node: name, reason }];
    }),
  };
}

/** Calls `take` with each resource of a node that fits a pattern, until it returns false. Returns why it stopped early, if it did. */
async function findResources(
  session: NodeSession,
  pattern: string,
  take: (resource: string) => boolean,
): Promise<string | undefined> {
  const { prefix: keyPrefix } = session.settings;
  const each = (keys: readonly string[]): boolean =>
    keys.every((key) => {
      const resource = resourceOf(keyPrefix, key);
      return resource === undefined || take(resource);
    });
  // A name without a wildcard needs no search.
  if (/[\\*?[]/.test(pattern)) return scan(session, patternsFor(keyPrefix, pattern), each);
  each([keyPrefix + pattern]);
  return undefined;
}
