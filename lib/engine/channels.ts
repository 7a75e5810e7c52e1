import { channel, tracingChannel } from 'node:diagnostics_channel';
import type { AcquirePath, LockEvent } from './events.js';

/** What became of a call for a lock; 'skipped' is a call of a method with `onContended: 'skip'` that found the lock held. */
export type AcquireOutcome = 'acquired' | 'held' | 'skipped' | 'no_quorum' | 'aborted' | 'closed' | 'error';

/** A call for a lock. A call without a lock of its own is published on the channels `nestjs-redlock:skipped` and `nestjs-redlock:joined`. */
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

/**
 * What became of a call that is to run once: 'unkept' ran, and the store has not confirmed its reply; 'replayed' found a reply at once, 'waited' found
 * it after it had waited for another process, and 'joined' shared the run of a call of this process.
 */
export type OnceOutcome =
  | 'ran'
  | 'unkept'
  | 'replayed'
  | 'waited'
  | 'joined'
  | 'reused'
  | 'in_progress'
  | 'unknown'
  | 'not_kept'
  | 'unreadable'
  | 'unavailable'
  | 'error';

/** One call of `nestjs-redlock/idempotency`, on the tracing channel `nestjs-redlock:once`: from the call until its outcome. */
export interface OnceMessage extends CallMessage {
  readonly outcome?: OnceOutcome;
  /** The fencing token of a call that ran. */
  readonly fencingToken?: number;
  /** Bytes of the record of a call that ran. */
  readonly size?: number;
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

/** From the call for a lock until its outcome. */
export const acquiring = tracingChannel<AcquireMessage, AcquireMessage>('nestjs-redlock:acquire');
/** From when a lock was taken until it is over. */
export const holding = tracingChannel<HoldMessage, HoldMessage>('nestjs-redlock:hold');
/** One extension of a lock. */
export const extending = tracingChannel<ExtendMessage, ExtendMessage>('nestjs-redlock:extend');
/** From a call that is to run once for its key until its outcome. */
export const onces = tracingChannel<OnceMessage, OnceMessage>('nestjs-redlock:once');

/** Runs the work under a lock, and its release: only for those who bind a store to it. */
export const working = channel('nestjs-redlock:work');

/** The answer of one node to one question, or that there was none in time. */
export const requests = channel('nestjs-redlock:request');
const nodes = channel('nestjs-redlock:node');
const skipped = channel('nestjs-redlock:skipped');
export const joined = channel('nestjs-redlock:joined');

const CHANNELS: Readonly<Partial<Record<LockEvent['type'], ReturnType<typeof channel>>>> = {
  'node-up': nodes,
  'node-down': nodes,
  'node-quarantined': nodes,
  'node-trusted': nodes,
  'node-refused': nodes,
  'node-accepted': nodes,
  'node-warning': nodes,
  'hand-off-unavailable': nodes,
  skipped,
  joined,
};

/** Returns whether anybody observes the life of locks. If nobody does, no message is made, and no promise more than without channels. */
export function isObserved(): boolean {
  return acquiring.hasSubscribers || holding.hasSubscribers || extending.hasSubscribers;
}

/** Publishes what an event says about a node, or about a call that took no lock of its own. */
export function publish(event: LockEvent, pool: string | undefined): void {
  const own = CHANNELS[event.type];
  if (own?.hasSubscribers !== true) return;
  if (event.type !== 'skipped' && event.type !== 'joined') return own.publish({ pool, ...event });
  own.publish({ pool, resources: event.resources, template: event.label } satisfies CallMessage);
}

/** Publishes how a node answered after `duration` ms. */
export function publishRequest(node: string, duration: number, error: RequestMessage['error']): void {
  requests.publish({ node, duration, error } satisfies RequestMessage);
}
