import type { Grant } from '../../port/claim.js';
import { TOKENS_PER_GRANT } from '../../port/fencing.js';
import type { AcquireAnswer } from '../../port/lock-node.js';
import { agreeByVotes } from '../../quorum/fencing-agreement.js';
import { votesInWords } from '../../quorum/outcome/node-outcome.js';
import type { NodePool } from '../../quorum/node-pool.js';
import type { Denied, TokenPending, Won } from '../../quorum/outcome/outcome.js';
import { reasonForWaiter } from '../../quorum/outcome/reason.js';
import { Validity } from '../../time/validity.js';
import { LEAST_SHARE_LEFT, type AcquireRequest } from '../request.js';
import type { Round } from '../round.js';
import { TokenSearch } from '../token-search.js';
import type { ClaimInLine } from './claim-in-line.js';
import { Stalemate } from './stalemate.js';
import type { VoteTransfer } from './vote-transfer.js';

/** What a waiter does at the moment, and so what an event means to it. */
type State =
  /** It asks the nodes, or looks at what has come of that: an event changes the votes and nothing else. */
  | { readonly kind: 'asking' }
  /** It waits for votes: `end` ends that, because they suffice or because it has waited long enough for those that are missing. */
  | { readonly kind: 'waiting'; readonly end: () => void }
  /** It has enough votes, but they give no fencing token yet: `search` looks for one. */
  | { readonly kind: 'searching'; readonly search: TokenSearch };

const ASKING: State = { kind: 'asking' };

/**
 * What becomes of a waiter in line between two rounds, as a state machine. The events are what comes from the nodes: grants, answers that are
 * late, and answers to what was given away. Their effects are that a wait ends, or that votes which are too few are given away. The members stand
 * in the order in which a round meets them.
 */
export class LineWait {
  #state: State = ASKING;
  #inLine: ClaimInLine;
  /** Gives the votes away since the latest round was denied; undefined while that round may still be won. */
  #transfer: VoteTransfer | undefined;
  /** Stops the timer that limits the wait for further grants; undefined before the first grant since the latest round began. */
  #stopGrantTimer: (() => void) | undefined;
  readonly #stalemate: Stalemate;

  constructor(
    private readonly pool: NodePool,
    private readonly request: AcquireRequest,
    inLine: ClaimInLine,
  ) {
    this.#inLine = inLine;
    this.#stalemate = new Stalemate(pool);
  }

  /** All nodes are about to be asked, under the claim of `inLine`. */
  aboutToAsk(inLine: ClaimInLine): void {
    this.#inLine = inLine;
    inLine.votes.beginRound();
    this.#transfer = undefined;
    this.stopGrantTimer();
    this.#stopGrantTimer = undefined;
  }

  /**
   * Event: a round is decided whose votes alone give no lock. Returns what they give together with the grants that came meanwhile. If that is
   * not enough, gives the votes away and returns the reason; it is a promise if more answers are needed to tell the reason.
   */
  decided({ call, validity }: Round): Won | TokenPending | Denied | Promise<Denied> {
    const { answers } = call;
    answers.forEach((answer, nodeIndex) => answer && this.answered(nodeIndex, answer, validity));
    const given = this.#lockOrPending(answers.includes(undefined));
    if (given) return given;
    this.#transfer = this.#newTransfer();
    this.#transfer.yieldVotes(answers);
    return reasonForWaiter(call, this.request.budget);
  }

  /** Event: a node has answered. Its vote lasts as long as `validity`. */
  answered(nodeIndex: number, answer: AcquireAnswer, validity: Validity): void {
    this.#inLine.note(nodeIndex, answer, validity);
    this.#stalemate.heard(nodeIndex, answer, validity.since);
    this.#react();
  }

  /** Returns the lock if the votes give it by now, and otherwise `outcome`. */
  lockOr(outcome: Denied): Promise<Won | Denied> {
    return this.withToken(this.lockFromVotes(outcome) ?? outcome);
  }

  /** Returns what the votes give by now; undefined means that the nodes have to be asked again. After `no token`, the token is not searched for again. */
  lockFromVotes({ kind }: Denied): Won | TokenPending | undefined {
    return kind === 'no token' ? this.#lock() : this.#lockOrPending();
  }

  /** Where the token is pending, waits until the votes agree on one, but no longer than the node timeout and the caller's time allow. */
  async withToken(outcome: Won | Denied | TokenPending): Promise<Won | Denied> {
    if (outcome.kind !== 'token pending') return outcome;
    const { pool, request } = this;
    const { claim, votes } = this.#inLine;
    const isFound = (): boolean => this.#lock() !== undefined;
    const search = new TokenSearch(pool, claim, { votes, isFound, changed: () => this.#react() });
    this.#state = { kind: 'searching', search };
    try {
      await search.run(request, outcome.awaited);
    } finally {
      // From now on, votes change neither the token nor anything else of what was won.
      this.#state = ASKING;
    }
    return this.#lock() ?? { kind: 'no token', nodes: votesInWords(pool.nodes, votes) };
  }

  /** The caller was denied: gives all votes back if they stay split among waiters that are alive, and it is this one that gives way. */
  giveWayIfStuck(outcome: Denied): void {
    if (this.#stalemate.endsAfter(outcome)) this.#newTransfer().giveWay();
  }

  /** Waits `delay` ms for votes, or until the votes suffice; rejects if the caller aborts. */
  async forVotes(delay: number): Promise<void> {
    try {
      await this.request.budget.pause(delay, (end) => (this.#state = { kind: 'waiting', end }));
    } finally {
      this.#state = ASKING;
    }
  }

  /**
   * Event: a node has given its vote without being asked. The grants of one release arrive together, and only asking tells why some of them are
   * missing: so the wait for further ones ends after the node timeout.
   */
  granted(nodeIndex: number, { since, fence, oldest }: Grant): void {
    const { ttl, driftFactor } = this.request.terms;
    const validity = Validity.of(since, ttl, driftFactor);
    this.#inLine.votes.grantMeanwhile(nodeIndex, { validity, fence, oldest, tokens: TOKENS_PER_GRANT });
    this.#stopGrantTimer ??= this.pool.clock.schedule(this.pool.timeoutFor(ttl), () => this.#endWait());
    this.#react();
  }

  /** Event: a node has answered, or was silent for too long, after the round was decided. */
  answeredLate(nodeIndex: number, answer: AcquireAnswer, validity: Validity): void {
    this.answered(nodeIndex, answer, validity);
    this.#transfer?.yieldLate(nodeIndex, answer);
  }

  /** Stops the timer that limits the wait for further grants: the nodes are asked again, or the caller waits no more. */
  stopGrantTimer(): void {
    this.#stopGrantTimer?.();
  }

  /** The votes have changed: ends the wait if they suffice. */
  #react(): void {
    if (this.#state.kind !== 'asking' && this.#inLine.votes.quorum(this.pool.clock)) this.#endWait();
  }

  #endWait(): void {
    if (this.#state.kind === 'waiting') this.#state.end();
    if (this.#state.kind === 'searching') this.#state.search.look();
  }

  #lock(): Won | undefined {
    const given = this.#lockOrPending();
    return given?.kind === 'won' ? given : undefined;
  }

  /** Returns the lock, or a pending token, if the votes of all rounds make a quorum with nearly a whole lease; undefined means to ask again. */
  #lockOrPending(awaited = true): Won | TokenPending | undefined {
    const { claim, votes } = this.#inLine;
    const validity = votes.quorum(this.pool.clock);
    if (!validity || validity.remaining(this.pool.clock) < validity.length * LEAST_SHARE_LEFT) return undefined;
    if (!agreeByVotes(claim, votes, this.pool.clock)) return { kind: 'token pending', awaited };
    return { kind: 'won', claim, validity };
  }

  #newTransfer(): VoteTransfer {
    return this.#inLine.transfer(() => this.#react());
  }
}
