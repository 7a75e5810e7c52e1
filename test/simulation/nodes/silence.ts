import type { Moment } from '../../../lib/core/time/clock.js';
import type { Machine } from '../world/machine.js';

/** Ms: how long the oldest unanswered command may wait before nothing more is sent behind it, and before a new connection. */
const SUSPECT_AFTER = 150;
const RECONNECT_AFTER = 700;

/** Notices that a node does not answer, so that nothing more is sent to it until it does. */
export class Silence {
  isNoticed = false;
  #isChecking = false;

  constructor(
    private readonly machine: Machine,
    /** Since when the oldest of what is not answered waits. */
    private readonly since: () => Moment | undefined,
    private readonly reconnect: () => void,
  ) {}

  /** True where a silent node has answered all that was old. */
  get isOver(): boolean {
    return this.isNoticed && this.#length() <= SUSPECT_AFTER;
  }

  /** Once input that has already arrived was read: it may be this process that stood still, not the node. */
  look(): void {
    if (this.#isChecking || this.#length() <= SUSPECT_AFTER) return;
    this.#isChecking = true;
    this.machine.afterInput(() => {
      this.#isChecking = false;
      if (this.#length() > SUSPECT_AFTER) this.isNoticed = true;
      if (this.#length() > RECONNECT_AFTER) this.reconnect();
    });
  }

  #length(): number {
    const since = this.since();
    return since === undefined ? 0 : this.machine.now().monotonic - since.monotonic;
  }
}
