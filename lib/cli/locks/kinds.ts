import { processMarkOf } from '../../core/collections/random.js';
import type { LockOnNode } from './lock-on-node.js';

/** What there is where nobody holds a resource. */
export const FREE = 'free, with a line';

/** What data of other types probably is, by its type. */
const OTHERS: Readonly<Record<string, string>> = {
  hash: 'a hash: Redisson?',
  zset: 'a sorted set: Symfony, or a semaphore?',
  set: 'a set: no lock of this library',
  list: 'a list: no lock of this library',
  stream: 'a stream: no lock of this library',
};

/** Returns in words what stands under the key of a resource, by what most nodes have there. */
export function kindOf(locks: readonly LockOnNode[], value: string | undefined): string {
  if (value !== undefined) return processMarkOf(value) === undefined ? 'a foreign lock' : 'a lock';
  const type = locks.find((lock) => lock.type !== undefined)?.type;
  if (type === undefined) return FREE;
  return OTHERS[type] ?? type;
}
