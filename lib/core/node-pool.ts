import { Ballot } from './ballot.js';
import type { Claim } from './claim.js';
import type { Clock } from './clock.js';
import type { AcquireAnswer, ExtendAnswer, LockNode, ProbeAnswer, ReleaseAnswer } from './lock-node.js';
import type { Random } from './random.js';

type Late<A> = (node: LockNode, answer: A) => void;

export interface PoolSettings {
  readonly clock: Clock;
  readonly random: Random;
  /** Ms a node may take to answer. @default ttl / 20, at least 5 and at most 50 */
  readonly nodeTimeout?: number | undefined;
}

/** The N independent masters together: each verb goes to all of them at once. */
export class NodePool {
  readonly clock: Clock;
  readonly random: Random;
  readonly #nodeTimeout: number | undefined;

  constructor(
    readonly nodes: readonly LockNode[],
    { clock, random, nodeTimeout }: PoolSettings,
  ) {
    this.clock = clock;
    this.random = random;
    this.#nodeTimeout = nodeTimeout;
  }

  /** Ms a node may take to answer: a small part of the lease, so that a silent node cannot use it up (Redis page). */
  timeoutFor(ttl: number): number {
    return this.#nodeTimeout ?? Math.min(50, Math.max(5, Math.ceil(ttl / 20)));
  }

  acquire(claim: Claim, ttl: number): Ballot<AcquireAnswer> {
    const ballot = new Ballot<AcquireAnswer>(
      this.nodes,
      {
        put: (node, answered) => node.acquire(claim, ttl, answered),
        favours: (answer) => answer.kind === 'granted',
        timeout: this.timeoutFor(ttl),
      },
      this.clock,
    );
    claim.asked();
    return ballot;
  }

  extend(claim: Claim, ttl: number, late: Late<ExtendAnswer>): Ballot<ExtendAnswer> {
    return new Ballot<ExtendAnswer>(
      this.nodes,
      {
        put: (node, answered) => node.extend(claim, ttl, answered),
        favours: (answer) => answer.kind === 'extended',
        timeout: this.timeoutFor(ttl),
        late,
      },
      this.clock,
    );
  }

  release(claim: Claim, ttl: number): Ballot<ReleaseAnswer> {
    claim.withdraw();
    return new Ballot<ReleaseAnswer>(
      this.nodes,
      {
        put: (node, answered) => node.release(claim, ttl, answered),
        favours: (answer) => answer.kind !== 'unknown',
        timeout: this.timeoutFor(ttl),
      },
      this.clock,
    );
  }

  probe(timeout: number): Promise<ProbeAnswer[]> {
    return Promise.all(this.nodes.map((node) => this.#probe(node, timeout)));
  }

  #probe(node: LockNode, timeout: number): Promise<ProbeAnswer> {
    return new Promise((resolve) => {
      const silence: ProbeAnswer = { kind: 'unknown', reason: `no answer within ${timeout} ms`, sent: true };
      const stopTimer = this.clock.schedule(timeout, () => this.clock.afterInput(() => resolve(silence)));
      node.probe((answer) => {
        stopTimer();
        resolve(answer);
      });
    });
  }
}
