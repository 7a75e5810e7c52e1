import type { Logger } from '@nestjs/common';
import type { Clock } from './core/clock.js';
import type { LockEvent } from './core/events.js';

/** Ms: a node that is up again may be found to have forgotten its locks a moment later. */
const SETTLED_AFTER = 500;

type Quorum = Extract<LockEvent, { type: 'quorum-lost' | 'quorum-reached' }>;

interface QuorumLogTerms {
  readonly clock: Clock;
  /** Who says itself that there are no locks, and when there are again. */
  readonly quarantine: { readonly isClosed: boolean };
}

/** What the log says where there is no quorum, and where there is one again: once each, and nothing where the quarantine says it. */
export class QuorumLog {
  #isTold = false;
  #stopTimer: (() => void) | undefined;

  constructor(
    private readonly logger: Pick<Logger, 'log' | 'error'>,
    private readonly terms: QuorumLogTerms,
  ) {}

  lost({ votes, nodes, quorum }: Quorum): void {
    this.stop();
    if (this.#isTold || this.terms.quarantine.isClosed) return;
    this.#isTold = true;
    this.logger.error(`No quorum: ${votes} of ${nodes} nodes vote, ${quorum} needed; no locks until then`);
  }

  reached({ votes, nodes }: Quorum): void {
    if (!this.#isTold) return;
    this.#stopTimer = this.terms.clock.schedule(SETTLED_AFTER, () => {
      this.#isTold = false;
      if (this.terms.quarantine.isClosed) return;
      this.logger.log(`Locks are possible again: ${votes} of ${nodes} nodes vote`);
    });
  }

  /** No timer is left. */
  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}
