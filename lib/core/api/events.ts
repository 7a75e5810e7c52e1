import type { LockLostError } from './errors.js';

/** What happens to locks and nodes, for logs and metrics. */
export type LockEvent =
  | {
      readonly type: 'acquired';
      readonly resources: readonly string[];
      /** Ms from the call. */ readonly waited: number;
      readonly attempts: number;
    }
  | { readonly type: 'contended'; readonly resources: readonly string[] }
  /** A call asks for what the code around it already holds, and did not say `reentrant: true`: it waits as every other caller does. */
  | {
      readonly type: 'self-contended';
      readonly resources: readonly string[];
      /** Those that it holds. */ readonly holding: readonly string[];
    }
  /** A method with `onContended: 'skip'` did not run, because somebody else held the lock. */
  | { readonly type: 'skipped'; readonly resources: readonly string[] }
  /** A method with `onContended: 'join'` shares the outcome of a call that is under way. */
  | { readonly type: 'joined'; readonly resources: readonly string[] }
  | { readonly type: 'extended'; readonly resources: readonly string[]; /** Ms. */ readonly validity: number }
  | { readonly type: 'lost'; readonly resources: readonly string[]; readonly error: LockLostError }
  | { readonly type: 'released'; readonly resources: readonly string[]; /** Ms. */ readonly held: number }
  | { readonly type: 'node-up'; readonly node: string }
  | { readonly type: 'node-down'; readonly node: string; readonly reason: string }
  /** It may have forgotten locks that are still held, and does not vote for `remaining` ms. */
  | { readonly type: 'node-quarantined'; readonly node: string; readonly reason: string; readonly remaining: number }
  | { readonly type: 'node-trusted'; readonly node: string }
  /** It answers, and gives no votes: it is full, a replica, lets its user do too little. Told with the first vote that it refuses. */
  | { readonly type: 'node-refused'; readonly node: string; readonly reason: string }
  /** It gives votes again. Told with the first vote that shows it. */
  | { readonly type: 'node-accepted'; readonly node: string }
  /** Too few nodes vote for any lock: the others are down, in quarantine or refuse to. */
  | {
      readonly type: 'quorum-lost';
      readonly votes: number;
      readonly nodes: number;
      /** Votes that decide. */ readonly quorum: number;
    }
  /** Enough nodes vote again. */
  | { readonly type: 'quorum-reached'; readonly votes: number; readonly nodes: number; readonly quorum: number }
  /** Something about this node endangers locks, or their order. */
  | { readonly type: 'node-warning'; readonly node: string; readonly reason: string }
  /** Waiters find out by asking again that this node is free; it cannot tell them. */
  | { readonly type: 'hand-off-unavailable'; readonly node: string; readonly reason: string };

export type LockListener = (event: LockEvent) => void;
