import type { Grant, Place } from '../core/port/claim.js';
import type { Question, Unknown } from '../core/port/lock-node.js';
import { soon } from '../core/time/real-time.js';

/** Answers after the call has returned, as a network does. */
export function answer<A>(question: Question<A>, nodeIndex: number, given: A): void {
  soon(() => question.answer(nodeIndex, given));
}

/** Tells a waiter what the node has granted, in order with the answers. */
export function notify(place: Place, node: string, grant: Grant): void {
  soon(() => place.granted(node, grant));
}

export function refusal(reason: string): Unknown {
  return { kind: 'unknown', reason, sent: true, refused: true };
}
