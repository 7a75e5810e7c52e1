import { literal, resourceOf, scan } from '../locks/list-locks.js';
import { type LockOnNode, locksOn } from '../locks/lock-view.js';
import type { NodeSession } from '../nodes/node-session.js';

/** More names of a kind are not kept, however many keys a node has. */
const KEPT = 1_000;

/** Keys that somebody should look at. */
export interface KeysOnNode {
  /** Data of another type under the name of a lock: "key (type)". */
  readonly foreign: ReadonlySet<string>;
  /** Locks that never expire. */
  readonly endless: ReadonlySet<string>;
  /** Resources in whose queue no process is connected. */
  readonly deadQueues: ReadonlySet<string>;
  /** Why some keys are unknown; undefined if all were read. */
  readonly hidden: string | undefined;
}

/** Looks through all keys under the prefix. */
export async function readKeys(session: NodeSession): Promise<KeysOnNode> {
  const { prefix: keyPrefix } = session.settings;
  const [foreign, endless, deadQueues] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const keep = (names: Set<string>, name: string): unknown => names.size < KEPT && names.add(name);
  const read = async (keys: readonly string[]): Promise<boolean> => {
    const resources = [...new Set(keys.flatMap((key) => resourceOf(keyPrefix, key) ?? []))];
    const locks = await locksOn(session, resources);
    const isDead = await withoutListeners(session, locks);
    for (const [at, { type, ttl }] of locks.entries()) {
      const key = keyPrefix + resources[at]!;
      if (type !== undefined) keep(foreign, `${key} (${type})`);
      else if (ttl === null) keep(endless, key);
      if (isDead[at]) keep(deadQueues, resources[at]!);
    }
    return true;
  };
  const hidden = await scan(session, [`${literal(keyPrefix)}*`], read).catch((error: Error) => error.message);
  return { foreign, endless, deadQueues, hidden };
}

/** Returns for each lock whether processes wait in its queue, and none of them is connected. */
async function withoutListeners(session: NodeSession, locks: readonly LockOnNode[]): Promise<boolean[]> {
  const channels = locks.flatMap(({ waiters }) => waiters.map(({ channel }) => channel));
  if (channels.length === 0) return [];
  const counts = await session.ask((redis) => redis.pubsub('NUMSUB', ...channels));
  const alive = new Set(counts.filter((_, at) => Number(counts[at + 1]) > 0));
  return locks.map(({ waiters }) => waiters.length > 0 && waiters.every(({ channel }) => !alive.has(channel)));
}
