import { RedlockError, type LockLostError, type RedlockErrorCode } from './errors.js';
import type { LockHolder } from './process-mark.js';

/**
 * How a caller got its lock.
 * - `free`: nobody else held the resource.
 * - `hand-off`: the caller waited for another holder, and got the lock from the nodes.
 * - `local`: the caller waited, and an earlier caller of this process passed the lock on.
 */
export type AcquirePath = 'free' | 'hand-off' | 'local';

/** Why a call ended without the lock: the code of its error, 'ABORTED' if its signal aborted, or 'ERROR' for another error. */
export type RefusalCode = RedlockErrorCode | 'ABORTED' | 'ERROR';

/** Why a term has ended. 'failed': the work threw. */
export type TermEnd = 'resigned' | 'lost' | 'shutdown' | 'failed';

/** What happens to locks and nodes, for logs and metrics. */
export type LockEvent =
  /** A call got its lock. */
  | {
      readonly type: 'acquired';
      /** The full names of the resources. */ readonly resources: readonly string[];
      /** Ms since the call. */ readonly waited: number;
      /** How often the nodes were asked. */ readonly attempts: number;
      /** How the caller got the lock. */ readonly path: AcquirePath;
      /** The fencing token of the lock. */ readonly fencingToken: number;
    }
  /** A call ended without its lock. This is the final answer. */
  | {
      readonly type: 'refused';
      readonly resources: readonly string[];
      /** Ms since the call. */ readonly waited: number;
      /** Why the call has no lock. */ readonly code: RefusalCode;
      /** Who holds the resource: only with 'RESOURCE_LOCKED', and only for locks of this library. */
      readonly cause?: LockHolder | undefined;
    }
  /** Another holder has the resource. This is the first answer, emitted once for a call, which may still get its lock. */
  | {
      readonly type: 'contended';
      readonly resources: readonly string[];
      /** Resources that the code around the call holds. If the other holder waits for one of them, the two calls are deadlocked. */
      readonly holding?: readonly string[] | undefined;
    }
  /** A call without `reentrant: true` asks for resources that the code around the call already holds. */
  | {
      readonly type: 'self-contended';
      readonly resources: readonly string[];
      /** Which of these resources the code around the call holds. */ readonly holding: readonly string[];
    }
  /** A method with `onContended: 'skip'` did not run, because another caller held the lock. */
  | {
      readonly type: 'skipped';
      readonly resources: readonly string[];
      /** The key template, or the `label` of the call. */ readonly label?: string | undefined;
    }
  /** A method with `onContended: 'join'` shares the outcome of a running call. */
  | { readonly type: 'joined'; readonly resources: readonly string[]; readonly label?: string | undefined }
  /** A lock was extended. */
  | {
      readonly type: 'extended';
      readonly resources: readonly string[];
      /** Ms for which the lock is valid after the extension. */ readonly validity: number;
    }
  /** A lock ended while its work was running. */
  | {
      readonly type: 'lost';
      readonly resources: readonly string[];
      readonly fencingToken: number;
      /** Why the lock was lost. */ readonly error: LockLostError;
    }
  /** A lock was released by its holder. */
  | {
      readonly type: 'released';
      readonly resources: readonly string[];
      readonly fencingToken: number;
      /** Ms since the lock was taken. */ readonly held: number;
    }
  /** This process is a candidate for a role from now on. */
  | {
      readonly type: 'campaigning';
      /** The name of the role. */ readonly name: string;
    }
  /** This process is no candidate for the role any more. */
  | { readonly type: 'campaign-ended'; readonly name: string }
  /** This process leads. */
  | {
      readonly type: 'elected';
      readonly name: string;
      /** The number of the term. */ readonly term: number;
      /** True if the work of an earlier term of this process is still running. */ readonly overlap: boolean;
    }
  /** This process does not lead any more, and another process can lead. */
  | {
      readonly type: 'deposed';
      readonly name: string;
      readonly term: number;
      /** Why the term has ended. */ readonly reason: TermEnd;
      /** Ms since the election. */ readonly led: number;
    }
  /** The work of a leader threw, or its clean-up did. */
  | {
      readonly type: 'term-failed';
      readonly name: string;
      readonly term: number;
      /** What was thrown. */ readonly error: unknown;
    }
  /** The process is connected to the node again. */
  | {
      readonly type: 'node-up';
      /** The name of the node. */ readonly node: string;
    }
  /** The process lost its connection to the node, or could not connect. */
  | {
      readonly type: 'node-down';
      readonly node: string;
      /** Why, for people. */ readonly reason: string;
    }
  /** The node is in quarantine, because it may have forgotten locks that are still held. */
  | {
      readonly type: 'node-quarantined';
      readonly node: string;
      readonly reason: string;
      /** Ms until the node votes. */ readonly remaining: number;
    }
  /** The node votes again after its quarantine. */
  | { readonly type: 'node-trusted'; readonly node: string }
  /** The node answers and refuses to vote: its memory is full, the node is a replica, or its user lacks permissions. */
  | { readonly type: 'node-refused'; readonly node: string; readonly reason: string }
  /** The node votes again after it refused. */
  | { readonly type: 'node-accepted'; readonly node: string }
  /** Too few nodes vote, so that no lock can be taken. */
  | {
      readonly type: 'quorum-lost';
      /** How many nodes vote. */ readonly votes: number;
      /** How many nodes the pool has. */ readonly nodes: number;
      /** How many votes decide. */ readonly quorum: number;
    }
  /** Enough nodes vote again, so that locks can be taken. */
  | { readonly type: 'quorum-reached'; readonly votes: number; readonly nodes: number; readonly quorum: number }
  /** A setting or a fact of the node endangers locks, or the order of fencing tokens. */
  | { readonly type: 'node-warning'; readonly node: string; readonly reason: string }
  /** The node cannot notify waiters, so that they poll it. */
  | { readonly type: 'hand-off-unavailable'; readonly node: string; readonly reason: string }
  | ReplyEvent;

/** The outcome of a call that runs once for its key (`nestjs-redlock/idempotency`). The event never contains the reply. */
export interface ReplyEvent {
  /** What happened. */
  readonly type:
    /** The caller got the reply of another call. */
    | 'replayed'
    /** The reply of the call is kept. */
    | 'kept'
    /** The caller has its answer, but the store did not confirm it in time. A duplicate finds an interrupted attempt. */
    | 'unkept'
    /** The key was used for another request. */
    | 'reused'
    /** An earlier attempt started and did not end, so that its effects are unknown. */
    | 'interrupted'
    /** The lock was lost, and a later attempt has taken over. The reply of the later attempt counts. */
    | 'superseded'
    /** The call has ended, but its reply cannot be repeated. */
    | 'tombstone'
    /** Some nodes do not have the reply. */
    | 'thin-reply'
    /** The record is unreadable: another codec, version or encryption key wrote it. */
    | 'unreadable'
    /** A request without the optional header ran without protection. */
    | 'unprotected'
    /** `keepIn` kept another reply than the one that the call returned. */
    | 'reply-differs';
  /** The key, as the only entry. */
  readonly resources: readonly string[];
  /** The key template, or the `label` of the call. */
  readonly label: string;
  /** The fencing token of a call that ran. */
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
