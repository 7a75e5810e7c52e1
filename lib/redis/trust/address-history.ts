import type { Bounds } from '../../core/port/lock-node.js';
import type { Moment } from '../../core/time/clock.js';

/** The server to which an address leads now. */
export interface Arrival {
  readonly run: string | undefined;
  /** Since when it has been a node of locks, by its own marker: ms on its own clock; undefined where it is new to locks. */
  readonly since: number | undefined;
}

/** The answers that show that locks may rest on a server. */
const RESTED_ON: ReadonlySet<string> = new Set(['granted', 'held', 'extended']);

/**
 * Remembers until when locks have rested on the server to which one address leads. The address may come to lead to another server, which knows
 * nothing of these locks, also where it has been up and voting elsewhere for long.
 */
export class AddressHistory {
  #run: string | undefined;
  #at: Moment | undefined;

  /** Takes what this run of a server answers over the address to a question that was sent at `sent`. */
  note(run: string | undefined, answer: string, sent: Moment | undefined): void {
    if (!sent || !RESTED_ON.has(answer)) return;
    this.#run = run;
    this.#at = sent;
  }

  /**
   * Returns since when the server to which the address leads now must not vote, ms on our monotonic clock; undefined where it may. Locks may have
   * been granted by the server before it until we last heard of them; or until now, where the server by its own marker was elsewhere at that time.
   * `ahead` is the distance of its clock from ours.
   */
  outSince({ run, since }: Arrival, ahead: Bounds | undefined, now: number): number | undefined {
    if (run === undefined || run === this.#run || !this.#at) return undefined;
    const { monotonic } = this.#at;
    return since !== undefined && ahead && since - ahead.least < monotonic ? now : monotonic;
  }
}
