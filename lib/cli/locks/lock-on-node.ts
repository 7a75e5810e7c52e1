import { RESERVED } from '../../engine/reserved-keys.js';
import type { NodeSession } from '../nodes/node-session.js';

/** So few that a node is busy for less than a millisecond. */
const RESOURCES_PER_CALL = 250;

/** A process that waits in the queue of a node. */
export interface WaiterOnNode {
  /** The value of its deposit; '' if the node has none. */
  readonly value: string;
  /** The channel on which the node tells the process that it is its turn. */
  readonly channel: string;
}

/** What one node has under the key of a resource. */
export interface LockOnNode {
  /** Undefined if there is nothing. */
  readonly value?: string | undefined;
  /** The type of data that is no lock; undefined for a lock, and for nothing. */
  readonly type?: string | undefined;
  /** Ms until it expires; null for never. */
  readonly ttl?: number | null | undefined;
  /** At most 1,000 of them. */
  readonly waiters: readonly WaiterOnNode[];
}

/**
 * Reads what a node has of each resource: value, type of data that is no lock, ttl, waiters. One call for many, since a client takes longer for
 * a reply than a node. Locks do not need TYPE, so the user may lack that right. Other programs may keep strings of any length.
 */
const READ = `
local found = {}
for at, key in ipairs(KEYS) do
  local value, other = redis.pcall('GET', key), false
  if type(value) == 'table' then
    if not string.find(value.err, 'WRONGTYPE') then return redis.error_reply(value.err) end
    value, other = false, redis.pcall('TYPE', key).ok or 'data of another type'
  elseif value and #value > 1000 then
    value, other = false, 'string'
  end
  local waiters = redis.pcall('ZRANGE', key .. ARGV[1], 0, 999)
  if waiters.err then waiters = {} end
  local deposits = #waiters > 0 and redis.pcall('HMGET', key .. ARGV[2], unpack(waiters)) or {}
  if deposits.err then deposits = {} end
  found[at] = { value, other, redis.call('PTTL', key), waiters, deposits }
end
return found
`;

type Read = readonly [
  value: string | null,
  type: string | null,
  ttl: number,
  waiters: readonly string[],
  deposits: readonly (string | null)[],
];

/** Returns what a node has of these resources, in their order. @throws Error if the node refuses, or does not answer */
export async function locksOn(session: NodeSession, resources: readonly string[]): Promise<LockOnNode[]> {
  const locks: LockOnNode[] = [];
  for (let at = 0; at < resources.length; at += RESOURCES_PER_CALL) {
    const keys = resources.slice(at, at + RESOURCES_PER_CALL).map((name) => session.settings.prefix + name);
    const found = await session.ask((redis) => redis.eval(READ, keys.length, ...keys, RESERVED.queue, RESERVED.places));
    for (const read of found as Read[]) locks.push(lockOf(read));
  }
  return locks;
}

function lockOf([value, type, ttl, channels, deposits]: Read): LockOnNode {
  // A deposit is "value ttl count proposal field".
  const waiters = channels.map((channel, index) => ({ channel, value: deposits[index]?.split(' ')[0] ?? '' }));
  if (value === null && type === null) return { waiters };
  return { ...(type === null ? { value: value! } : { type }), ttl: ttl === -1 ? null : Math.max(0, ttl), waiters };
}
