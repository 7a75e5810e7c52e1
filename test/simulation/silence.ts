import type { InFlight, Waiting } from './in-flight.js';
import type { Machine } from './machine.js';

/** Ms: how long the oldest unanswered command may wait before nothing more is sent behind it, and before a new connection. */
const SUSPECT_AFTER = 150;
const RECONNECT_AFTER = 700;

/** Notices that a node does not answer, so that nothing more is sent to it until it does. */
export class Silence {
  isNoticed = false;
  #isChecking = false;

  constructor(
    private readonly machine: Machine,
    private readonly inFlight: InFlight<Waiting>,
    private readonly reconnect: () => void,
  ) {}

  /** True where a silent node has answered all that was old. */
  get isOver(): boolean {
    return this.isNoticed && this.inFlight.silence <= SUSPECT_AFTER;
  }

  /** Once input that has already arrived was read: it may be this process that stood still, not the node. */
  look(): void {
    if (this.#isChecking || this.inFlight.silence <= SUSPECT_AFTER) return;
    this.#isChecking = true;
    this.machine.afterInput(() => {
      this.#isChecking = false;
      if (this.inFlight.silence > SUSPECT_AFTER) this.isNoticed = true;
      if (this.inFlight.silence > RECONNECT_AFTER) this.reconnect();
    });
  }
}
