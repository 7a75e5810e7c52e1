import type { Lock } from '../../../lib/engine/lock.js';
import { block } from '../../support/block.js';
import { machineTime } from '../record.js';
import type { Surroundings } from './surroundings.js';

/** When a program computes without a pause, and how often it does. */
const SHARES = { taken: 0.02, release: 0.01, abort: 0.1 } as const;
/** The share of those computations that may take longer than the lease. */
const LONG = 0.4;
/** How often an abort listener releases the lock, and asks for it again. */
const LISTENERS_THAT_RELEASE = 0.3;

/** Blocks the event loop now and then, at a point where a program has the word. */
export function compute(context: Surroundings, holder: Holder, when: keyof typeof SHARES): void {
  const { dice, terms } = context;
  if (!dice.chance(SHARES[when])) return;
  const ms = dice.chance(LONG) ? dice.between(terms.ttl / 2, 1.5 * terms.ttl) : dice.between(5, terms.ttl / 2);
  computeFor(context, holder, ms);
}

/** Blocks the event loop, and writes down what the holder knows then; not in the calm, in which all have to be served. */
export function computeFor(context: Surroundings, { id, lock }: Holder, ms: number): void {
  if (context.mode !== 'go') return;
  block(ms);
  const at = machineTime();
  context.journal.write({ what: 'looked', id, at, left: lock.validity, aborted: lock.signal.aborted });
}

export interface Holder {
  readonly id: string;
  readonly lock: Lock;
}

/** What a program may do in the very turn in which it is told of the loss of its lock. */
export function mourn(context: Surroundings, holder: Holder, again: () => Promise<unknown>): void {
  compute(context, holder, 'abort');
  if (context.mode !== 'go' || !context.dice.chance(LISTENERS_THAT_RELEASE)) return;
  const release = (): void => context.aside(holder.lock.release());
  const isFirst = context.dice.chance(0.5);
  if (isFirst) release();
  context.aside(again());
  if (!isFirst) release();
}
