import type { NodeSession } from '../nodes/node-session.js';
import { holdersOf, type Holder } from './holders.js';
import { kindOf } from './kinds.js';
import { locksOn, type LockOnNode } from './lock-on-node.js';

/** What one node has of a lock. */
export interface NodeView {
  readonly node: string;
  readonly value?: string | undefined;
  /** Ms until it ends by itself there; null where it never does, and undefined where there is nothing. */
  readonly ttl?: number | null | undefined;
}

/** What all nodes together have of one resource. */
export interface LockView {
  readonly resource: string;
  /** In words: a lock, a foreign lock, data of another type, or only a line. */
  readonly kind: string;
  /** The value that most nodes have. */
  readonly value?: string | undefined;
  readonly holder?: Holder | undefined;
  /** How many nodes have that value. */
  readonly votes: number;
  readonly nodes: readonly NodeView[];
  /** The processes that stand in line, each once. */
  readonly waiters: readonly Holder[];
}

/** Asks all nodes that are up about these resources. */
export async function lockViews(sessions: readonly NodeSession[], resources: readonly string[]): Promise<LockView[]> {
  const asked = sessions.filter(({ isUp }) => isUp);
  const answers = await Promise.all(asked.map((session) => session.attempt(() => locksOn(session, resources))));
  const known = asked.flatMap((session, index) => {
    const locks = answers[index];
    return locks === undefined ? [] : [{ session, locks }];
  });
  const all = known.flatMap(({ locks }) => locks);
  const values = all.flatMap(({ value, waiters }) => [value ?? [], waiters.map((waiter) => waiter.value)].flat());
  const holders = await holdersOf(
    asked.filter(({ isUp }) => isUp),
    new Set(values),
  );
  return resources.map((resource, index) => {
    const here = known.map(({ session, locks }) => ({ session, lock: locks[index]! }));
    return viewOf(resource, here, holders);
  });
}

function viewOf(
  resource: string,
  here: readonly { readonly session: NodeSession; readonly lock: LockOnNode }[],
  holders: ReadonlyMap<string, Holder>,
): LockView {
  const locks = here.map(({ lock }) => lock);
  const values = locks.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const value = mostFrequent(values);
  const waiting = new Set(locks.flatMap(({ waiters }) => waiters.map((waiter) => waiter.value)));
  return {
    resource,
    kind: kindOf(locks, value),
    ...(value !== undefined && { value, holder: holders.get(value) }),
    votes: values.filter((other) => other === value).length,
    nodes: here.map(({ session, lock }) => ({ node: session.name, value: lock.value, ttl: lock.ttl })),
    waiters: [...waiting].map((waiter) => holders.get(waiter) ?? {}),
  };
}

function mostFrequent(values: readonly string[]): string | undefined {
  const count = (value: string): number => values.filter((other) => other === value).length;
  return [...values].sort((a, b) => count(b) - count(a))[0];
}
