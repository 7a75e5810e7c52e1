import { TimerQueue } from '../../lib/core/time/timer-queue.js';
import { QuorumCall, type QuorumCallTerms } from '../../lib/core/quorum/quorum-call.js';
import { OwnClaim } from '../../lib/core/quorum/own-claim.js';
import type { LockNode, Unknown } from '../../lib/core/port/lock-node.js';
import { VirtualClock } from './virtual-clock.js';

export interface Vote {
  readonly kind: 'yes' | 'no';
}

export const YES: Vote = { kind: 'yes' };
export const NO: Vote = { kind: 'no' };

/** Ballots of 50 ms whose nodes say what a test has them say. */
export class Polls {
  readonly clock = new VirtualClock();
  readonly claim = new OwnClaim(['a'], 'ours');
  /** What each question is answered by, in the order of the questions. */
  readonly say: ((answer: Vote | Unknown) => void)[] = [];
  /** What came late, and from which index. */
  readonly late: unknown[] = [];

  ballotOf(size: number, terms: Partial<QuorumCallTerms<Vote>> = {}): QuorumCall<Vote> {
    const nodes = Array.from({ length: size }, (_, index) => ({ name: `node-${index}` }) as LockNode);
    return new QuorumCall<Vote>(
      { nodes, clock: this.clock, timerQueue: new TimerQueue(this.clock) },
      {
        claim: this.claim,
        ttl: 1_000,
        proposal: 0,
        now: this.clock.now(),
        timeout: 50,
        put: (_node, question, nodeIndex) => void this.say.push((answer) => question.answer(nodeIndex, answer)),
        yes: 'yes',
        late: (nodeIndex, answer) => this.late.push([nodeIndex, answer.kind]),
        ...terms,
      },
    );
  }
}
