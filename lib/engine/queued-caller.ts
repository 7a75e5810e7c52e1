import type { Lease } from './lease.js';
import type { Denied } from './denied.js';
import type { OpenedByVote } from './lock-node.js';

/** How often a waiting process asks at least during one ttl, so that its deposit stays fresh. */
export const POLLS_OF_TTL = 12;

/** One caller that wants the resource. */
export interface QueuedCaller {
  readonly ttl: number;
  readonly driftFactor: number;
  /** Microseconds on the clock of the nodes. */
  readonly arrival: number;
  /** Whether the caller asks once and does not wait. */
  readonly isTry: boolean;
  /** The record that a vote for this caller opens. */
  readonly opens: OpenedByVote | undefined;
  /** How many attempts had been made when the caller came. */
  cameAt: number;
  /** Returns the ms until the next attempt. */
  retryIn(): number;
  /** Called when the caller has to wait because another holder has the resource. */
  contended(): void;
  /** Called in a turn of the event loop of its own, with a lease that is valid. */
  granted(lease: Lease, attempts: number): void;
  denied(denied: Denied): void;
  /** Returns whether the caller goes on after so many attempts; `noQuorumSince` says since when (ms) no quorum has answered. */
  goesOn(denied: Denied, attempts: number, noQuorumSince: number | undefined): boolean;
}

/** Returns whether a denial concerns a caller. That the work is done concerns only callers that would open its record. */
export function concerns(denied: Denied, { opens }: QueuedCaller): boolean {
  return denied.kind !== 'recorded' || opens !== undefined;
}

/** Callers that do not wait, and get the answer to the question of another caller. */
export class Onlookers {
  #callers: QueuedCaller[] = [];

  get size(): number {
    return this.#callers.length;
  }

  add(caller: QueuedCaller): void {
    this.#callers.push(caller);
  }

  delete(caller: QueuedCaller): void {
    this.#callers = this.#callers.filter((one) => one !== caller);
  }

  /** Removes and returns the first one. */
  shift(): QueuedCaller | undefined {
    return this.#callers.shift();
  }

  /** Denies those that it concerns. */
  answer(denied: Denied): void {
    const told = this.#callers.filter((caller) => concerns(denied, caller));
    this.#callers = this.#callers.filter((caller) => !told.includes(caller));
    for (const caller of told) {
      if (denied.kind === 'contended') caller.contended();
      caller.denied(denied);
    }
  }
}
