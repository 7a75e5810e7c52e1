import type { Grant } from '../../port/claim.js';
import { LEAST_SHARE_LEFT } from '../../port/hand-off.js';
import type { AcquireAnswer } from '../../port/lock-node.js';
import { settleByVotes } from '../../quorum/fencing-agreement.js';
import { reasonInTime } from '../../quorum/wait-budget.js';
import type { NodePool } from '../../quorum/node-pool.js';
import type { Denied, TokenPending } from '../../quorum/outcome.js';
import type { Validity } from '../../time/validity.js';
import type { AcquireRequest, Acquired } from '../polling.js';
import { untilAgreed, type Round } from '../round.js';
import type { ClaimInLine } from './claim-in-line.js';
import { SplitVote, type Surrender } from './split-vote.js';

/** What a waiter does at the moment, and so what an event means to it. */
type State =
  /** It asks the nodes, or looks at what has come of that: an event changes the votes and nothing else. */
  | { readonly kind: 'asking' }
  /** It waits for votes: `end` ends that, because they suffice or because it has waited long enough for those that are missing. */
  | { readonly kind: 'waiting'; readonly end: () => void }
  /** It has enough votes, which give no fencing token yet: `look` finds out whether they do by now. */
  | { readonly kind: 'settling'; readonly look: () => void };

const ASKING: State = { kind: 'asking' };

/**
 * What becomes of a waiter in line between two rounds, as a state machine. The events are what comes from the nodes: grants, answers that are
 * late, and answers to what was given away. Their effects are that a wait ends, or that votes which are too few are given away.
 */
export class LineWait {
  #state: State = ASKING;
  #inLine: ClaimInLine;
  /** Gives the votes away since the latest round was lost; undefined while that round may still be won. */
  #surrender: Surrender | undefined;
  /** Stops the timer that limits the wait for further grants; undefined before the first grant since the latest round began. */
  #stopHurry: (() => void) | undefined;
  readonly #splitVote: SplitVote;

  constructor(
    private readonly pool: NodePool,
    private readonly request: AcquireRequest,
    inLine: ClaimInLine,
  ) {
    this.#inLine = inLine;
    this.#splitVote = new SplitVote(pool);
  }

  /** Event: all nodes are about to be asked, under the claim of `inLine`. */
  asked(inLine: ClaimInLine): void {
    this.#inLine = inLine;
    inLine.votes.beginRound();
    this.#surrender = undefined;
    this.over();
    this.#stopHurry = undefined;
  }

  /**
   * Event: a round is decided whose votes alone give no lock. Returns what they give together with the grants that came meanwhile. If that is
   * not enough, gives the votes away and returns the reason; it is a promise if more answers are needed to tell the reason.
   */
  decided({ call, validity }: Round): Acquired | TokenPending | Denied | Promise<Denied> {
    const { answers } = call;
    answers.forEach((answer, nodeIndex) => answer && this.answered(nodeIndex, answer, validity));
    const standing = this.#standing(answers.includes(undefined));
    if (standing) return standing;
    this.#surrender = this.#newSurrender();
    this.#surrender.yieldVotes(answers);
    return reasonInTime(call, this.request.budget);
  }

  /** Event: a node has answered. Its vote lasts as long as `validity`. */
  answered(nodeIndex: number, answer: AcquireAnswer, validity: Validity): void {
    this.#inLine.note(nodeIndex, answer, validity);
    this.#splitVote.heard(nodeIndex, answer, validity.since);
    this.#react();
  }

  /** Event: a node has answered after the round was decided. */
  answeredLate(nodeIndex: number, answer: AcquireAnswer, validity: Validity): void {
    this.answered(nodeIndex, answer, validity);
    this.#surrender?.yieldLate(nodeIndex, answer);
  }

  /**
   * Event: a node has given its vote without being asked. The grants of one release arrive together, and only asking tells why some of them are
   * missing: so the wait for further ones ends after the node timeout.
   */
  granted(nodeIndex: number, grant: Grant): void {
    this.#inLine.grant(nodeIndex, grant);
    const limit = this.pool.timeoutFor(this.request.terms.ttl);
    this.#stopHurry ??= this.pool.clock.schedule(limit, () => this.#endWait());
    this.#react();
  }

  /** Event: the caller was denied. If the votes stay split among waiters that are alive, gives the votes back. */
  denied(outcome: Denied): void {
    if (this.#splitVote.endsAfter(outcome)) this.#newSurrender().giveWay();
  }

  /** Event: the caller waits no more. */
  over(): void {
    this.#stopHurry?.();
  }

  /** Waits `delay` ms for votes, or until the votes suffice; rejects if the caller aborts. */
  async forVotes(delay: number): Promise<void> {
    try {
      await this.request.budget.pause(delay, (end) => (this.#state = { kind: 'waiting', end }));
    } finally {
      this.#state = ASKING;
    }
  }

  /** Waits until the votes agree on a token, but no longer than the node timeout and the caller's time allow. */
  async settled(outcome: Acquired | Denied | TokenPending): Promise<Acquired | Denied> {
    if (outcome.kind !== 'unsettled') return outcome;
    const { pool, request } = this;
    const { claim, votes } = this.#inLine;
    try {
      await untilAgreed(
        pool,
        { ...request, claim },
        {
          votes,
          awaited: outcome.awaited,
          agreed: () => this.#won() !== undefined,
          onVote: (look) => (this.#state = { kind: 'settling', look }),
          changed: () => this.#react(),
        },
      );
    } finally {
      // From now on, votes change neither the token nor anything else of what was won.
      this.#state = ASKING;
    }
    return this.#won() ?? { kind: 'no token', nodes: votes.outcomes(pool.nodes) };
  }

  /** Returns what the votes amount to now; undefined means that the nodes have to be asked again. After `no token` only a won lock counts. */
  found({ kind }: Denied): Acquired | TokenPending | undefined {
    return kind === 'no token' ? this.#won() : this.#standing();
  }

  /** The votes have changed: ends the wait if they suffice. */
  #react(): void {
    if (this.#state.kind !== 'asking' && this.#inLine.votes.quorum(this.pool.clock)) this.#endWait();
  }

  #endWait(): void {
    if (this.#state.kind === 'waiting') this.#state.end();
    if (this.#state.kind === 'settling') this.#state.look();
  }

  #won(): Acquired | undefined {
    const standing = this.#standing();
    return standing?.kind === 'won' ? standing : undefined;
  }

  /** Returns the lock, or a pending token, if the votes of all rounds make a quorum with nearly a whole lease; undefined means to ask again. */
  #standing(awaited = true): Acquired | TokenPending | undefined {
    const { claim, votes } = this.#inLine;
    const validity = votes.quorum(this.pool.clock);
    if (!validity || validity.remaining(this.pool.clock) < validity.length * LEAST_SHARE_LEFT) return undefined;
    if (!settleByVotes(claim, votes, this.pool.clock)) return { kind: 'unsettled', awaited };
    return { kind: 'won', claim, validity, attempts: 1 };
  }

  #newSurrender(): Surrender {
    return this.#inLine.surrender(() => this.#react());
  }
}
