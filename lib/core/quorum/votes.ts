import type { Clock, Moment } from '../time/clock.js';
import { stands, tokenOf } from '../port/fencing.js';
import { quorumOf } from './quorum.js';
import type { Validity } from '../time/validity.js';

/** The vote of one node: until when it provably lasts, and the fence counter that came with it. */
interface Vote {
  readonly validity: Validity;
  readonly fence: number;
  /** @see Granted.oldest */
  readonly oldest?: number | undefined;
  /** How many tokens came with the vote; the fence counter is the first of them. @default 1 */
  readonly tokens?: number;
}

/** The fencing token that the votes give. */
interface FoundToken {
  readonly token: number;
  /** How many tokens there are; `token` is the first of them. */
  readonly tokens: number;
  readonly stands: boolean;
}

/** What is known of the vote of one node. */
interface NodeVote {
  vote: Vote | undefined;
  /**
   * How many requests to give the vote away have no answer yet. A node may answer that it kept the vote, which then counts again; so the vote is
   * not dropped, as it is where a claim is in doubt about a node.
   */
  openRequests: number;
  /** True if the node has granted on its own since the latest round began: a refusal in the same round is older than the grant. */
  hasGranted: boolean;
  /** True if the node refused when it was asked last, and has said nothing since. */
  hasRefused: boolean;
}

/** The votes for one claim, by node index, and until when each is provable. They come one by one, over several rounds. */
export class Votes {
  /** Created for the first vote that is recorded: most claims are won without this count. */
  #byNode: NodeVote[] | undefined;

  constructor(private readonly nodes: number) {}

  beginRound(): void {
    if (this.#byNode) for (const node of this.#byNode) node.hasGranted = false;
  }

  has(nodeIndex: number): boolean {
    return this.#byNode?.[nodeIndex]!.vote !== undefined;
  }

  grant(nodeIndex: number, vote: Vote): void {
    const granting = this.#at(nodeIndex);
    granting.vote = vote;
    granting.hasRefused = false;
  }

  /** Records a vote that is not an answer: the node gave it because it was the turn of the claim. */
  grantMeanwhile(nodeIndex: number, vote: Vote): void {
    this.grant(nodeIndex, vote);
    this.#at(nodeIndex).hasGranted = true;
    // The resource was free for the claim on every node, or is about to be: older refusals do not count any more.
    for (const other of this.#byNode!) other.hasRefused = false;
  }

  /** Records that the node refused, or did not answer. */
  refuse(nodeIndex: number, kind: string): void {
    const refusing = this.#at(nodeIndex);
    if (refusing.hasGranted) return;
    refusing.vote = undefined;
    if (kind !== 'unknown') refusing.hasRefused = true;
  }

  /** Removes the vote of a node that no longer has the claim, whatever the node said before. */
  drop(nodeIndex: number): void {
    const dropping = this.#at(nodeIndex);
    dropping.hasGranted = false;
    dropping.vote = undefined;
  }

  /** Records that the node raised its counter for these tokens while it had the claim. */
  raised(nodeIndex: number, { token, tokens }: Omit<FoundToken, 'stands'>): void {
    const raised = this.#at(nodeIndex);
    const { vote } = raised;
    if (vote && vote.fence < token) raised.vote = { ...vote, fence: token, tokens };
  }

  /** Stops counting the vote of a node that was asked to give it away, until it is known whether the node `kept` it or `gaveAway` it. */
  givingAway(nodeIndex: number): void {
    this.#at(nodeIndex).openRequests += 1;
  }

  kept(nodeIndex: number): void {
    this.#at(nodeIndex).openRequests -= 1;
  }

  gaveAway(nodeIndex: number): void {
    const giver = this.#at(nodeIndex);
    giver.openRequests -= 1;
    giver.vote = undefined;
  }

  /** Returns the validity that a quorum of the votes has at least; undefined if there is no quorum. */
  quorum(clock: Clock): Validity | undefined {
    const votes = this.#counted();
    const quorum = quorumOf(this.nodes);
    if (votes.length < quorum) return undefined;
    const now = clock.now();
    votes.sort((a, b) => b.validity.remainingAt(now) - a.validity.remainingAt(now));
    return votes[quorum - 1]!.validity;
  }

  /** Returns the fencing token of the votes that count at this moment, and whether it stands. */
  token(clock: Clock): FoundToken | undefined {
    const quorum = quorumOf(this.nodes);
    const votes = this.#countedAt(clock.now());
    const fences = votes.map(({ fence }) => fence);
    const token = tokenOf(fences, quorum);
    if (token === undefined) return undefined;
    const tokens = Math.min(...votes.map((vote) => vote.tokens ?? 1));
    return { token, tokens, stands: stands(fences, quorum, token) };
  }

  /** Returns the arrival time, in microseconds, of the oldest waiter that the nodes of these votes know. */
  oldest(clock: Clock): number {
    return Math.min(...this.#countedAt(clock.now()).map(({ oldest = 0 }) => oldest));
  }

  /** Returns the indexes of the nodes that voted and whose counters are below `token`. */
  below(token: number, clock: Clock): number[] {
    const counted = this.#countedAt(clock.now());
    const isBelow = ({ vote }: NodeVote): boolean => vote !== undefined && vote.fence < token && counted.includes(vote);
    return (this.#byNode ?? []).flatMap((node, nodeIndex) => (isBelow(node) ? [nodeIndex] : []));
  }

  /** Returns whether the counter of a node is not at `token`, or probably is not, because the node refused its vote. */
  differFrom(token: number): boolean {
    return (this.#byNode ?? []).some(({ vote, hasRefused }) => hasRefused || (vote && vote.fence !== token));
  }

  #at(nodeIndex: number): NodeVote {
    return (this.#byNode ??= Array.from({ length: this.nodes }, noVote))[nodeIndex]!;
  }

  /** Returns the votes that no command on its way may give away. */
  #counted(): Vote[] {
    const counted: Vote[] = [];
    for (const { vote, openRequests } of this.#byNode ?? []) if (vote && openRequests === 0) counted.push(vote);
    return counted;
  }

  /** Returns those of them that still last at `now`. */
  #countedAt(now: Moment): Vote[] {
    return this.#counted().filter(({ validity }) => validity.remainingAt(now) > 0);
  }
}

function noVote(): NodeVote {
  return { vote: undefined, openRequests: 0, hasGranted: false, hasRefused: false };
}
