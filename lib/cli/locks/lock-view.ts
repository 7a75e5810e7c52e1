import { quorumOf } from '../../engine/pool.js';
import type { NodeSession } from '../nodes/node-session.js';
import { holderOf, type ProcessNote } from '../../engine/process-mark.js';
import { RESERVED } from '../../engine/resources.js';

/** The kind of a resource that nobody has. */
export const FREE = 'free, with a queue';

/** What data of other types probably is. */
const OTHERS: Readonly<Record<string, string>> = {
  hash: 'a hash: Redisson?',
  zset: 'a sorted set: Symfony, or a semaphore?',
  set: 'a set: no lock of this library',
  list: 'a list: no lock of this library',
  stream: 'a stream: no lock of this library',
  string: 'a long text: no lock of this library',
};

/** What one node has of a lock. */
export interface NodeView {
  readonly node: string;
  readonly value?: string | undefined;
  /** Ms until it expires there; null for never, and undefined if there is nothing. */
  readonly ttl?: number | null | undefined;
}

/** What all nodes together have of one resource. */
export interface LockView {
  readonly resource: string;
  /** In words: a lock, a foreign lock, data of another type, or only a queue. */
  readonly kind: string;
  /** The value that most nodes have. */
  readonly value?: string | undefined;
  readonly holder?: Holder | undefined;
  /** How many nodes have that value. */
  readonly votes: number;
  /** Whether a quorum has that value; null if too few nodes have answered to tell. */
  readonly held: boolean | null;
  /** The nodes that have answered. */
  readonly nodes: readonly NodeView[];
  /** The processes that wait, each once. */
  readonly waiters: readonly Holder[];
}

/** Asks all nodes that are up about these resources. */
export async function lockViews(sessions: readonly NodeSession[], resources: readonly string[]): Promise<LockView[]> {
  const answers = await Promise.all(sessions.map((session) => session.attempt(() => locksOn(session, resources))));
  const known = sessions.flatMap((session, index) => {
    const locks = answers[index];
    return session.isUp && locks !== undefined ? [{ node: session.name, locks }] : [];
  });
  return resources.map((resource, index) => {
    const here = known.map(({ node, locks }) => ({ node, lock: locks[index]! }));
    return viewOf(resource, here, sessions.length);
  });
}

function viewOf(
  resource: string,
  here: readonly { readonly node: string; readonly lock: LockOnNode }[],
  nodes: number,
): LockView {
  const locks = here.map(({ lock }) => lock);
  const values = locks.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const value = mostFrequent(values);
  const votes = values.filter((other) => other === value).length;
  const quorum = quorumOf(nodes);
  // The same process stands under the same channel in the queues of all nodes.
  const waiting = new Map(locks.flatMap(({ waiters }) => waiters.map((waiter) => [waiter.channel, waiter.value])));
  return {
    resource,
    kind: kindOf(locks, value),
    ...(value !== undefined && { value, holder: processOf(value) }),
    votes,
    held: votes + nodes - here.length < quorum ? false : votes >= quorum || null,
    nodes: here.map(({ node, lock }) => ({ node, value: lock.value, ttl: lock.ttl })),
    waiters: [...waiting.values()].map(processOf),
  };
}

/** Returns in words what is under the name of a resource, by what most nodes have there. */
function kindOf(locks: readonly LockOnNode[], value: string | undefined): string {
  if (value !== undefined) return processOf(value).mark === undefined ? 'a foreign lock' : 'a lock';
  const type = locks.find((lock) => lock.type !== undefined)?.type;
  if (type === undefined) return FREE;
  return OTHERS[type] ?? type;
}

function mostFrequent(values: readonly string[]): string | undefined {
  const count = (value: string): number => values.filter((other) => other === value).length;
  return [...values].sort((a, b) => count(b) - count(a))[0];
}

/** A process that holds a lock or waits for one; empty for a value of another library. */
export interface Holder extends Partial<ProcessNote> {
  /** The beginning of all values of the process. */
  readonly mark?: string | undefined;
}

/** Returns the process that made a value. */
export function processOf(value: string): Holder {
  const known = holderOf(value);
  return known === undefined ? {} : { mark: known.holder, ...known.process };
}

/** Returns a holder in one line. */
export function named({ mark, host, pid, application }: Holder): string {
  return mark === undefined ? 'another library' : `${application} on ${host}, pid ${pid}`;
}

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
 * a reply than a node. Locks do not need TYPE, so the user may lack that permission. Other programs may keep strings of any length.
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
