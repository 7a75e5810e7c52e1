import type { Clock } from '../engine/clock.js';
import { coded } from '../engine/codes.js';
import type { LockEvent } from '../engine/events.js';
import type { Lines } from './safe-logger.js';

/** Ms to wait before logging: a node that has just come up may turn out to have forgotten its locks a moment later. */
const SETTLED_AFTER = 500;

type Quorum = Extract<LockEvent, { type: 'quorum-lost' | 'quorum-reached' }>;

/** Logs once that there is no quorum, and once that there is one again; logs nothing if the quarantine log already says so. */
export class QuorumLog {
  #isReported = false;
  #stopTimer: (() => void) | undefined;

  constructor(
    private readonly logger: Pick<Lines, 'log' | 'error'>,
    private readonly clock: Clock,
    /** The log of the quarantine, which says by itself that there are no locks, and when there are some again. */
    private readonly quarantine: { readonly isClosed: boolean; readonly isGathering: boolean },
  ) {}

  lost(event: Quorum): void {
    this.stop();
    const { quarantine } = this;
    if (this.#isReported || quarantine.isClosed) return;
    // It may be known in a moment that the quarantine is the reason.
    if (quarantine.isGathering) this.#after(() => this.#reportLost(event));
    else this.#reportLost(event);
  }

  reached({ votes, nodes }: Quorum): void {
    this.stop();
    if (!this.#isReported) return;
    if (this.quarantine.isClosed) this.#isReported = false;
    else this.#after(() => this.#reportReached(`${votes} of ${nodes}`));
  }

  #reportLost({ votes, nodes, quorum }: Quorum): void {
    if (this.quarantine.isClosed) return;
    this.#isReported = true;
    this.logger.error(
      coded('REDLOCK_W07', `No quorum: ${votes} of ${nodes} nodes vote, ${quorum} needed, so there are no locks`),
    );
  }

  #reportReached(voters: string): void {
    this.#isReported = false;
    if (this.quarantine.isClosed) return;
    this.logger.log(`Locks are possible again: ${voters} nodes vote`);
  }

  #after(notify: () => void): void {
    this.#stopTimer = this.clock.schedule(SETTLED_AFTER, notify);
  }

  /** Leaves no timer. */
  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}
