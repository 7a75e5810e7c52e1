import { RedlockError, type LockLostError, type RedlockErrorCode } from './errors.js';
import type { LockHolder } from './process-mark.js';

/**
 * How a caller got its lock: 'free', nobody else had it; 'hand-off', it was told that somebody had it, and got it from the nodes after that, by a grant
 * or by asking again; 'local', it waited, and an earlier caller of this process passed the lock on without the nodes.
 */
export type AcquirePath = 'free' | 'hand-off' | 'local';

/** Why a call ended without the lock: the code of its error, 'ABORTED' if its signal ended it, or 'ERROR' for an error of another kind. */
export type RefusalCode = RedlockErrorCode | 'ABORTED' | 'ERROR';

/** What happens to locks and nodes, for logs and metrics. */
export type LockEvent =
  | {
      readonly type: 'acquired';
      readonly resources: readonly string[];
      /** Ms since the call. */ readonly waited: number;
      readonly attempts: number;
      readonly path: AcquirePath;
      readonly fencingToken: number;
    }
  /** A call for a lock ended without it. */
  | {
      readonly type: 'refused';
      readonly resources: readonly string[];
      /** Ms since the call. */ readonly waited: number;
      readonly code: RefusalCode;
      /** Who holds a resource, as in the `cause` of the error. Only with 'RESOURCE_LOCKED', and only for locks of this library. */
      readonly cause?: LockHolder | undefined;
    }
  /** Somebody else has the lock. Emitted once for a call. */
  | {
      readonly type: 'contended';
      readonly resources: readonly string[];
      /** Other resources that the code around a waiting call holds meanwhile. If the other holder waits for one of them, there is a deadlock. */
      readonly holding?: readonly string[] | undefined;
    }
  /** A call without `reentrant: true` asks for resources that the code around it already holds. It waits as every other caller does. */
  | {
      readonly type: 'self-contended';
      readonly resources: readonly string[];
      /** Which of these resources the code around the call holds. */ readonly holding: readonly string[];
    }
  /** A method with `onContended: 'skip'` did not run, because another caller held the lock. */
  | { readonly type: 'skipped'; readonly resources: readonly string[]; readonly label?: string | undefined }
  /** A method with `onContended: 'join'` shares the outcome of a call that is under way. */
  | { readonly type: 'joined'; readonly resources: readonly string[]; readonly label?: string | undefined }
  | { readonly type: 'extended'; readonly resources: readonly string[]; /** Ms. */ readonly validity: number }
  | {
      readonly type: 'lost';
      readonly resources: readonly string[];
      readonly fencingToken: number;
      readonly error: LockLostError;
    }
  | {
      readonly type: 'released';
      readonly resources: readonly string[];
      readonly fencingToken: number;
      /** Ms. */ readonly held: number;
    }
  | { readonly type: 'node-up'; readonly node: string }
  | { readonly type: 'node-down'; readonly node: string; readonly reason: string }
  /** The node does not vote for `remaining` ms, because it may have forgotten locks that are still held. */
  | { readonly type: 'node-quarantined'; readonly node: string; readonly reason: string; readonly remaining: number }
  /** The node votes again after its quarantine. */
  | { readonly type: 'node-trusted'; readonly node: string }
  /** The node answers, but refuses to vote: it is full, is a replica, or allows its user too little. Emitted with the first refused vote. */
  | { readonly type: 'node-refused'; readonly node: string; readonly reason: string }
  /** The node votes again. Emitted with the first vote that shows it. */
  | { readonly type: 'node-accepted'; readonly node: string }
  /** Too few nodes vote for any lock to be taken: the other nodes are down, are in quarantine or refuse to vote. */
  | {
      readonly type: 'quorum-lost';
      readonly votes: number;
      readonly nodes: number;
      /** How many votes decide. */ readonly quorum: number;
    }
  /** Enough nodes vote again. */
  | { readonly type: 'quorum-reached'; readonly votes: number; readonly nodes: number; readonly quorum: number }
  /** Something about this node endangers locks, or their order. */
  | { readonly type: 'node-warning'; readonly node: string; readonly reason: string }
  /** The node cannot notify waiters, so that they find out only by asking again that a resource is free on it. */
  | { readonly type: 'hand-off-unavailable'; readonly node: string; readonly reason: string }
  | ReplyEvent;

/** What became of a call that runs once for its key (`nestjs-redlock/idempotency`); never the reply itself. */
export interface ReplyEvent {
  readonly type:
    /** The caller got the reply of another call. */
    | 'replayed'
    /** The reply of the call is kept. */
    | 'kept'
    /** The caller has its answer, and the store has not confirmed it in time: a duplicate finds an interrupted attempt. */
    | 'unkept'
    /** The key was used for another request. */
    | 'reused'
    /** An earlier attempt has begun, and nobody knows how far it came. */
    | 'interrupted'
    /** The lock was lost, and a later attempt has taken over: its reply counts. */
    | 'superseded'
    /** The call has ended, and its reply cannot be given again. */
    | 'tombstone'
    /** Fewer than all nodes have the reply. */
    | 'thin-reply'
    /** What is kept cannot be read: another codec, another version or another key of encryption has written it. */
    | 'unreadable'
    /** A request without the optional header has run without protection. */
    | 'unprotected'
    /** `keepIn` has kept another reply than the one that the call ended with. */
    | 'reply-differs';
  /** The key. */
  readonly resources: readonly string[];
  /** The key template, or the `label` of the call. */
  readonly label: string;
  readonly fencingToken?: number | undefined;
  /** Why, in one word. */
  readonly reason?: string | undefined;
}

export type LockListener = (event: LockEvent) => void;

/** Returns the code for a call that ended with this error; `aborted` says whether its signal, or the shutdown, ended it. */
export function refusalCodeOf(error: unknown, aborted: boolean): RefusalCode {
  if (error instanceof RedlockError) return error.code;
  return aborted ? 'ABORTED' : 'ERROR';
}
