import { raiseNodesBehind } from '../quorum/fencing-agreement.js';
import type { NodePool } from '../quorum/node-pool.js';
import type { OwnClaim } from '../quorum/own-claim.js';
import type { Votes } from '../quorum/votes.js';
import { timeForToken } from '../quorum/outcome/wait-budget.js';
import type { Caller } from './round.js';

interface Searched {
  readonly votes: Votes;
  /** Returns whether the votes agree on a token by now, and if so, gives it to the claim. */
  readonly isFound: () => boolean;
  /** Called after each answer to a raise, also after the search. @default `look` */
  readonly changed?: () => void;
}

/**
 * The search for the fencing token of a claim that has a quorum of votes whose fence counters differ too much. Nodes whose counters are behind are
 * asked to raise them. It ends when `look` finds the token, or when the node timeout or the time of the caller is over.
 */
export class TokenSearch {
  #wake: (() => void) | undefined;
  #isOver = false;

  constructor(
    private readonly pool: NodePool,
    private readonly claim: OwnClaim,
    private readonly searched: Searched,
  ) {}

  /** Looks whether the votes agree by now. Called after each vote that comes. */
  look(): void {
    // Once the search is over, its caller may hold the lock, whose token must not change any more.
    if (!this.#isOver && this.searched.isFound()) this.#wake?.();
  }

  /** Resolves when the search is over; `awaited` is true if more votes may be on their way. */
  async run({ terms, budget }: Caller, awaited: boolean): Promise<void> {
    const { pool } = this;
    const { votes, changed = () => this.look() } = this.searched;
    const stop = raiseNodesBehind(pool, this.claim, { votes, awaited, changed });
    const limit = Math.min(pool.timeoutFor(terms.ttl), timeForToken(budget));
    try {
      await budget.pause(limit, (wake) => (this.#wake = wake));
    } finally {
      this.#isOver = true;
      stop();
    }
  }
}
