import { channel, tracingChannel } from 'node:diagnostics_channel';
import type { AcquirePath, LockEvent, ReplyEvent } from './events.js';

/** The outcome of a call for a lock. 'skipped': a call of a method with `onContended: 'skip'` found the resource held. */
export type AcquireOutcome = 'acquired' | 'held' | 'skipped' | 'no_quorum' | 'aborted' | 'closed' | 'error';

/** A call for a lock. The channels `nestjs-redlock:skipped` and `nestjs-redlock:joined` publish calls that took no lock of their own. */
export interface CallMessage {
  /** The name of the pool; undefined for the pool without a name. */
  readonly pool: string | undefined;
  /** The full names of the resources, which may be personal data. */
  readonly resources: readonly string[];
  /** The key template of `@WithLock`, or the `label` of the call: a constant text. */
  readonly template: string | undefined;
}

/** One call for a lock, on the tracing channel `nestjs-redlock:acquire`: from the call until its outcome. */
export interface AcquireMessage extends CallMessage {
  /** The options of the call, ms. */
  readonly options: {
    /** Ms that a lease lasts. */
    readonly ttl: number;
    /** Ms to wait for a held resource. */
    readonly waitTimeout: number;
  };
  /** Ms from the call until the nodes answered that another holder has the resource. Undefined if the resource was free. */
  readonly contended?: number;
  /** How often the nodes were asked; 0 for a shared lock. Set if the call got its lock. */
  readonly attempts?: number;
  /** Ms from the call to its outcome. */
  readonly waited?: number;
  /** How the call got its lock. 'nested': the call shares the lock that the code around the call holds. */
  readonly path?: AcquirePath | 'nested';
  /** How the call ended. */
  readonly outcome?: AcquireOutcome;
  /** The fencing token of the lock. */
  readonly fencingToken?: number;
  /** Why the call has no lock. */
  readonly error?: unknown;
}

/** One lock, on the tracing channel `nestjs-redlock:hold`: from when the lock was taken until it ends. */
export interface HoldMessage extends CallMessage {
  /** The call that took the lock. */
  readonly acquire: AcquireMessage;
  /** The fencing token of the lock. */
  readonly fencingToken: number;
  /** How often the lock was extended. */
  readonly extensions: number;
  /** Ms since the lock was taken. */
  readonly held?: number;
  /** How the lock ended. 'drained': the application shut down, and its `shutdownTimeout` was over. */
  readonly end?: 'released' | 'lost' | 'drained';
  /** The `LockLostError` of a lock that was lost. */
  readonly error?: unknown;
}

/** One extension of a lock, on the tracing channel `nestjs-redlock:extend`. */
export interface ExtendMessage extends CallMessage {
  /** The extended lock. */
  readonly hold: HoldMessage;
  /** The fencing token of the lock. */
  readonly fencingToken: number;
  /** Ms for which the lock is valid after the extension. */
  readonly validity?: number;
  /** Why the extension failed. */
  readonly error?: unknown;
}

/**
 * The outcome of a call that runs once.
 * - `unkept`: the call ran, but the store did not confirm its reply.
 * - `replayed`: the call found a reply at once.
 * - `waited`: the call found a reply after it had waited for another process.
 * - `joined`: the call shared a run of this process.
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
  /** How the call ended. */
  readonly outcome?: OnceOutcome;
  /** The fencing token of a call that ran. */
  readonly fencingToken?: number;
  /** Bytes of the record of a call that ran. */
  readonly size?: number;
  /** The span of the call, in the form of the W3C header `traceparent`; set by whoever traces the call. */
  traceparent?: string | undefined;
  /** The span of the call that ran, for a call that got a reply. */
  readonly firstTraceparent?: string | undefined;
  /** Why the call has no reply. */
  readonly error?: unknown;
}

/** A kept reply that some nodes missed, on the channel `nestjs-redlock:thin-reply`. */
export type ThinReplyMessage = { readonly pool: string | undefined } & ReplyEvent;

/** An election or the end of a term, on the channel `nestjs-redlock:leader`. */
export type LeaderMessage = { readonly pool: string | undefined } & Extract<LockEvent, { readonly name: string }>;

/** An event of a node, on the channel `nestjs-redlock:node`. */
export type NodeMessage = { readonly pool: string | undefined } & Extract<LockEvent, { readonly node: string }>;

/** The answer of one node, on the channel `nestjs-redlock:request`. */
export interface RequestMessage {
  /** The name of the node. */
  readonly node: string;
  /** Ms from the question to the answer, or to the end of the wait. */
  readonly duration: number;
  /** 'refused': the node rejected the command. 'timeout': the node did not answer in time. 'unknown': the answer was not usable. */
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
/** What happens to candidates and leaders. */
export const leaders = channel('nestjs-redlock:leader');
/** A kept reply that some nodes missed. */
export const thinReplies = channel('nestjs-redlock:thin-reply');

const CHANNELS: Readonly<Partial<Record<LockEvent['type'], ReturnType<typeof channel>>>> = {
  'node-up': nodes,
  'node-down': nodes,
  'node-quarantined': nodes,
  'node-trusted': nodes,
  'node-refused': nodes,
  'node-accepted': nodes,
  'node-warning': nodes,
  'hand-off-unavailable': nodes,
  'thin-reply': thinReplies,
  campaigning: leaders,
  'campaign-ended': leaders,
  elected: leaders,
  deposed: leaders,
  'term-failed': leaders,
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
