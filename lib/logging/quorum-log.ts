import type { Logger } from '@nestjs/common';
import type { Clock } from '../core/time/clock.js';
import type { LockEvent } from '../core/api/events.js';

/** Ms: a node that is up may be found to have forgotten its locks a moment later. */
const SETTLED_AFTER = 500;

type Quorum = Extract<LockEvent, { type: 'quorum-lost' | 'quorum-reached' }>;

interface QuorumLogTerms {
  readonly clock: Clock;
  /** Who says itself that there are no locks, and when there are again. */
  readonly quarantine: { readonly isClosed: boolean; readonly isGathering: boolean };
}

/** What the log says where there is no quorum, and where there is one again: once each, and nothing where the quarantine says it. */
export class QuorumLog {
  #isTold = false;
  #stopTimer: (() => void) | undefined;

  constructor(
    private readonly logger: Pick<Logger, 'log' | 'error'>,
    private readonly terms: QuorumLogTerms,
  ) {}

  lost(event: Quorum): void {
    this.stop();
    const { quarantine } = this.terms;
    if (this.#isTold || quarantine.isClosed) return;
    // In a moment it may be known that the quarantine is the reason.
    if (quarantine.isGathering) this.#after(() => this.#tellLost(event));
    else this.#tellLost(event);
  }

  reached({ votes, nodes }: Quorum): void {
    this.stop();
    if (!this.#isTold) return;
    if (this.terms.quarantine.isClosed) this.#isTold = false;
    else this.#after(() => this.#tellReached(`${votes} of ${nodes}`));
  }

  #tellLost({ votes, nodes, quorum }: Quorum): void {
    if (this.terms.quarantine.isClosed) return;
    this.#isTold = true;
    this.logger.error(`No quorum: ${votes} of ${nodes} nodes vote, ${quorum} needed; no locks until then`);
  }

  #tellReached(voters: string): void {
    this.#isTold = false;
    if (this.terms.quarantine.isClosed) return;
    this.logger.log(`Locks are possible again: ${voters} nodes vote`);
  }

  #after(tell: () => void): void {
    this.#stopTimer = this.terms.clock.schedule(SETTLED_AFTER, tell);
  }

  /** No timer is left. */
  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}
