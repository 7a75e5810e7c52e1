import { performance } from 'node:perf_hooks';
import { RESERVED, reservedEndingOf } from '../../engine/reserved-keys.js';
import type { NodeSession } from '../nodes/node-session.js';

const KEYS_PER_CALL = 1_000;
/** The share of the time that is left in which keys are searched; the rest is for what is found. */
const SEARCH_SHARE = 0.6;

/** Returns a pattern of SCAN that fits this text only. */
export function literal(text: string): string {
  return text.replaceAll(/[\\*?[\]^-]/g, '\\$&');
}

/** Returns the patterns of SCAN for the keys of resources that fit `pattern`, and of the queues for them. */
export function patternsFor(keyPrefix: string, pattern: string): string[] {
  const keys = `${literal(keyPrefix)}${pattern}`;
  // A queue may be there without its lock.
  return pattern.endsWith('*') ? [keys] : [keys, `${keys}${RESERVED.queue}`];
}

/** Returns the resource to which a key belongs; undefined for what a node has beside locks and their queues. */
export function resourceOf(keyPrefix: string, key: string): string | undefined {
  const name = key.slice(keyPrefix.length);
  const ending = reservedEndingOf(name);
  if (ending === undefined) return name === '' ? undefined : name;
  return ending === RESERVED.queue && name !== ending ? name.slice(0, -ending.length) : undefined;
}

/**
 * Calls `found` with the keys that fit these patterns, some at a time and some of them perhaps twice, until it returns false. By SCAN, which
 * never keeps a node busy for long. Returns why it stopped early, if there was too little time for all keys.
 * @throws Error if the node refuses, or does not answer
 */
export async function scan(
  session: NodeSession,
  patterns: readonly string[],
  found: (keys: readonly string[]) => boolean | Promise<boolean>,
): Promise<string | undefined> {
  const limit = session.left * SEARCH_SHARE;
  const end = performance.now() + limit;
  for (const pattern of patterns) {
    let cursor = '0';
    do {
      if (performance.now() > end)
        return `not all of its keys were read within ${Math.round(limit)} ms: give a greater --timeout`;
      const [next, keys] = await session.ask((redis) => redis.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_CALL));
      cursor = next;
      if (keys.length > 0 && !(await found(keys))) return undefined;
    } while (cursor !== '0');
  }
  return undefined;
}
