import type { AcquirePath, LockEvent } from './events.js';

/** What became of a call for a lock; 'skipped' is a call of a method with `onContended: 'skip'` that found the lock held. */
export type AcquireOutcome = 'acquired' | 'held' | 'skipped' | 'no_quorum' | 'aborted' | 'closed' | 'error';

/** A call for a lock. A call that took no lock of its own is told on the channels `nestjs-redlock:skipped` and `nestjs-redlock:joined`. */
export interface CallMessage {
  /** The name of the pool; undefined for the pool without a name. */
  readonly pool: string | undefined;
  /** May contain personal data, such as addresses. */
  readonly resources: readonly string[];
  /** The key template of `@WithLock`, or the `label` of the call: a constant text. */
  readonly template: string | undefined;
}

/** One call for a lock, on the tracing channel `nestjs-redlock:acquire`: from the call until its outcome. */
export interface AcquireMessage extends CallMessage {
  /** Ms. */
  readonly options: { readonly ttl: number; readonly waitTimeout: number };
  /** Ms from the call until it found that somebody else holds the resource; undefined if nobody did. */
  readonly contended?: number;
  /** How often the nodes were asked; 0 for a lock that was shared. Only with the lock. */
  readonly attempts?: number;
  /** Ms from the call to its outcome. */
  readonly waited?: number;
  /** 'nested': the call shares the lock that the code around it holds. */
  readonly path?: AcquirePath | 'nested';
  readonly outcome?: AcquireOutcome;
  readonly fencingToken?: number;
  readonly error?: unknown;
}

/** One lock, on the tracing channel `nestjs-redlock:hold`: from when it was taken until it is over. */
export interface HoldMessage extends CallMessage {
  /** The call that took the lock. */
  readonly acquire: AcquireMessage;
  readonly fencingToken: number;
  /** How often the lock was extended. */
  readonly extensions: number;
  /** Ms from when the lock was taken. */
  readonly held?: number;
  /** 'drained': the application shut down, and the time for its holders to finish was up. */
  readonly end?: 'released' | 'lost' | 'drained';
  /** The `LockLostError` of a lock that was lost or drained. */
  readonly error?: unknown;
}

/** One extension of a lock, on the tracing channel `nestjs-redlock:extend`. */
export interface ExtendMessage extends CallMessage {
  readonly hold: HoldMessage;
  readonly fencingToken: number;
  /** Ms for which the lock is valid after the extension. */
  readonly validity?: number;
  readonly error?: unknown;
}

/** A change of a node, on the channel `nestjs-redlock:node`. */
export type NodeMessage = { readonly pool: string | undefined } & Extract<LockEvent, { readonly node: string }>;

/** The answer of one node, on the channel `nestjs-redlock:request`. */
export interface RequestMessage {
  readonly node: string;
  /** Ms from the question to the answer, or to the end of the wait for it. */
  readonly duration: number;
  /** 'refused': the node does not execute the command; 'timeout': no answer in time, and no quorum without it; 'unknown': no usable answer. */
  readonly error: 'refused' | 'timeout' | 'unknown' | undefined;
}
