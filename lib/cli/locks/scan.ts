import type { NodeSession } from '../nodes/node-session.js';

const KEYS_PER_CALL = 500;

/** Calls `found` with the keys that fit a pattern, some at a time and some of them perhaps twice; by SCAN, which never keeps a node busy for long. */
export async function scan(
  session: NodeSession,
  pattern: string,
  found: (keys: readonly string[]) => boolean,
): Promise<void> {
  let cursor = '0';
  do {
    const [next, keys] = await session.ask((redis) => redis.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_CALL));
    cursor = next;
    if (keys.length > 0 && !found(keys)) return;
  } while (cursor !== '0');
}
