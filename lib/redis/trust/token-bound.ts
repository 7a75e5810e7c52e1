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
 * How far ahead of our clock a fencing token may be: half of the longest ttl that of the node may be ahead, and half of it more its
 * counters. A client that could make us count with a greater one could make all later tokens greater.
 */
export class TokenBound {
  /** Microseconds: what was within the bound once stays so. */
  #most = 0;

  constructor(
    private readonly trust: Pick<TrustTerms, 'maxTtl'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** What an answer counts as, which makes a difference to votes. */
  count(answer: NodeAnswer): NodeAnswer {
    return answer.kind === 'granted' && !this.allows(answer.fence) ? TOO_FAR : answer;
  }

  allows(token: number): boolean {
    // Usually without a look at the clock.
    if (token <= this.#most) return true;
    this.#most = (this.clock.now().wall + this.trust.maxTtl) * 1_000;
    return token <= this.#most;
  }
}
