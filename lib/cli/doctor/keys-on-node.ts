import { FAMILIES, familyAtEnd } from '../../core/port/key-families.js';
import { literal } from '../locks/key-names.js';
import { scan } from '../locks/scan.js';
import type { NodeSession } from '../nodes/node-session.js';

/** Keys that somebody should look at. */
export interface KeysOnNode {
  /** Data of another type under the name of a lock: "key (type)". */
  readonly foreign: readonly string[];
  /** Locks that never end by themselves. */
  readonly endless: readonly string[];
  /** Lines for locks. */
  readonly lines: readonly string[];
}

const KEYS_PER_CALL = 200;

/** Looks through all keys below the prefix. @throws Error where the node refuses that */
export async function keysOnNode(session: NodeSession): Promise<KeysOnNode> {
  const { keyPrefix } = session.settings;
  const names = new Set<string>();
  await scan(session, `${literal(keyPrefix)}*`, (keys) => {
    for (const key of keys) names.add(key);
    return true;
  });
  const all = [...names].sort();
  const locks = all.filter((key) => familyAtEnd(key) === undefined);
  const kinds = await kindsOf(session, locks);
  return {
    foreign: kinds.flatMap(({ key, type }) => (type === 'string' || type === 'none' ? [] : [`${key} (${type})`])),
    endless: kinds.flatMap(({ key, type, ttl }) => (type === 'string' && ttl === -1 ? [key] : [])),
    lines: all.filter((key) => key.endsWith(FAMILIES.line)),
  };
}

interface Kind {
  readonly key: string;
  readonly type: string;
  readonly ttl: number;
}

async function kindsOf(session: NodeSession, keys: readonly string[]): Promise<Kind[]> {
  const kinds: Kind[] = [];
  for (let at = 0; at < keys.length; at += KEYS_PER_CALL) {
    const some = keys.slice(at, at + KEYS_PER_CALL);
    const results = await session.ask(async (redis) => {
      const pipeline = redis.pipeline();
      for (const key of some) pipeline.type(key).pttl(key);
      return (await pipeline.exec()) ?? [];
    });
    some.forEach((key, index) => {
      const [type, ttl] = [results[2 * index], results[2 * index + 1]];
      if (type?.[0]) throw type[0];
      kinds.push({ key, type: String(type?.[1]), ttl: Number(ttl?.[1]) });
    });
  }
  return kinds;
}
