import type { Logger } from '@nestjs/common';
import type { LockLostError } from '../engine/errors.js';
import type { shown } from '../engine/names.js';
import type { Clock } from '../engine/clock.js';

/** Ms after a line within which further losses are counted and not logged one by one. */
const COUNTED_FOR = 5_000;

interface LossLogTerms {
  readonly clock: Clock;
  readonly names: typeof shown;
}

/** Logs lost locks: the first one at once, and those that follow within a few seconds together, as one line with their number. */
export class LossLog {
  /** How many locks were lost since the latest line, and the latest of them. */
  #more = 0;
  #latest: LockLostError | undefined;
  #isCounting = false;
  #isStopped = false;
  #stopTimer: () => void = () => undefined;

  constructor(
    private readonly logger: Pick<Logger, 'error'>,
    private readonly terms: LossLogTerms,
  ) {}

  lost(error: LockLostError): void {
    if (this.#isCounting) {
      this.#more += 1;
      this.#latest = error;
    } else {
      this.logger.error(`The lock on ${this.#names(error)} was lost: ${error.why}`);
      this.#count();
    }
  }

  /** Logs what is still pending, and sets no timer from now on: of what is lost later, all but the first may wait for the next `stop`. */
  stop(): void {
    this.#isStopped = true;
    this.#stopTimer();
    this.#logMore();
  }

  #count(): void {
    this.#isCounting = true;
    if (!this.#isStopped) this.#stopTimer = this.terms.clock.schedule(COUNTED_FOR, () => this.#logMore());
  }

  /** Ends the counting if nothing was lost since the latest line. Otherwise it goes on, so that a long burst is one line every few seconds. */
  #logMore(): void {
    this.#isCounting = false;
    if (this.#more === 0) return;
    const what =
      this.#more === 1 ? '1 more lock was lost, on' : `${this.#more} more locks were lost, the last of them on`;
    const latest = this.#latest!;
    this.logger.error(`${what} ${this.#names(latest)}: ${latest.why}`);
    this.#more = 0;
    this.#latest = undefined;
    this.#count();
  }

  #names({ resources }: LockLostError): string {
    return this.terms.names(resources);
  }
}
