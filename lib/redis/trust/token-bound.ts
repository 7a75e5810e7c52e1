import type { Clock } from '../../core/time/clock.js';
import type { Unknown } from '../../core/port/lock-node.js';
import type { NodeAnswer } from '../batch/reply-decoder.js';
import type { TrustTerms } from '../batch/batch-encoder.js';

const TOO_FAR: Unknown = {
  kind: 'unknown',
  reason: 'its fencing token is further ahead of our clock than maxTtl: look at the clocks of both',
  sent: true,
  refused: true,
};

/**
 * Limits how far a fencing token may be ahead of our clock to the longest ttl: the clock of the node may be ahead of ours by half of it,
 * and the counters of the node may be ahead of its clock by the other half. A client that could make us accept a greater token could make
 * all later tokens greater.
 */
export class TokenBound {
  /** Microseconds: a token that was within the limit once stays so. */
  #most = 0;

  constructor(
    private readonly trust: Pick<TrustTerms, 'maxTtl'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Returns what an answer counts as: a vote with a token that is too far ahead counts as a refusal. */
  count(answer: NodeAnswer): NodeAnswer {
    return answer.kind === 'granted' && !this.allows(answer.fence) ? TOO_FAR : answer;
  }

  allows(token: number): boolean {
    // Usually this needs no look at the clock.
    if (token <= this.#most) return true;
    this.#most = Math.max(this.#most, (this.clock.now().wall + this.trust.maxTtl) * 1_000);
    return token <= this.#most;
  }
}
