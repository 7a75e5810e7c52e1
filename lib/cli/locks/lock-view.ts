import { quorumOf } from '../../engine/pool.js';
import type { NodeSession } from '../nodes/node-session.js';
import { processOf, type Holder } from './holders.js';
import { locksOn, type LockOnNode } from './lock-on-node.js';

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
