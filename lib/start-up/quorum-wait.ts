import type { Logger } from '@nestjs/common';
import type { Clock } from '../core/time/clock.js';
import type { RedlockStatus } from '../core/quorum/status.js';
import { votesText } from '../logging/votes-text.js';

/** Ms between two checks of the nodes. */
const LOOK_EVERY = 250;
/** Ms between two lines of the log. */
const REPORT_EVERY = 30_000;

export interface QuorumWaitTerms {
  readonly clock: Clock;
  readonly status: () => Promise<RedlockStatus>;
  /** Ms to wait for a quorum; true waits for as long as that takes, false does not wait. */
  readonly limit: boolean | number;
}

/** Holds up the start of an application until enough nodes vote. */
export class QuorumWait {
  #isStopped = false;
  #wake: () => void = () => undefined;

  constructor(
    private readonly logger: Pick<Logger, 'log'>,
    private readonly terms: QuorumWaitTerms,
  ) {}

  /**
   * Resolves once enough nodes vote, or once `stop` was called.
   * @throws Error where that takes longer than the limit
   */
  async over(): Promise<void> {
    const { limit, clock, status } = this.terms;
    if (limit === false) return;
    const since = clock.now().monotonic;
    for (let reportedAt = -Infinity; ;) {
      const found = await status();
      if (found.quorumReachable || this.#isStopped) return;
      const now = clock.now().monotonic;
      const remaining = limit === true ? Infinity : since + limit - now;
      if (remaining <= 0)
        throw new Error(`No quorum of nodes within ${String(limit)} ms (waitForQuorum): ${votesText(found)}`);
      if (now - reportedAt >= REPORT_EVERY) {
        this.logger.log(`The start waits until locks are possible (waitForQuorum): ${votesText(found)}`);
        reportedAt = now;
      }
      await this.#sleep(Math.min(LOOK_EVERY, remaining));
    }
  }

  /** Ends the wait, because the application shuts down before its start is complete. */
  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  #sleep(delay: number): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = this.terms.clock.schedule(delay, resolve);
      this.#wake = () => {
        stopTimer();
        resolve();
      };
    });
  }
}
