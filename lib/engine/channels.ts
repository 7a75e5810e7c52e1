import { channel, tracingChannel } from 'node:diagnostics_channel';
import type { LockEvent } from './events.js';
import type { AcquireMessage, CallMessage, ExtendMessage, HoldMessage, RequestMessage } from './messages.js';

/** From the call for a lock until its outcome. */
export const acquiring = tracingChannel<AcquireMessage, AcquireMessage>('nestjs-redlock:acquire');
/** From when a lock was taken until it is over. */
export const holding = tracingChannel<HoldMessage, HoldMessage>('nestjs-redlock:hold');
/** One extension of a lock. */
export const extending = tracingChannel<ExtendMessage, ExtendMessage>('nestjs-redlock:extend');

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
