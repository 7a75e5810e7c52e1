import type { Clock, Moment } from '../time/clock.js';
import type { NodeOutcome } from '../api/errors.js';
import { stands, tokenOf } from '../port/fencing.js';
import { quorumOf } from './quorum.js';
import type { Validity } from '../time/validity.js';

/** One node's vote: until when it provably lasts, and the node's fence counter with it. */
interface Vote {
  readonly validity: Validity;
  readonly fence: number;
  /** @see Granted.oldest */
  readonly oldest?: number | undefined;
  /** How many tokens came with it, the fence counter being the first. @default 1 */
  readonly tokens?: number;
}

/** What the votes come to. */
interface Found {
  readonly token: number;
  /** How many tokens there are, of which that is the first. */
  readonly tokens: number;
  readonly stands: boolean;
}

/** What is known of one node. */
interface Seat {
  vote: Vote | undefined;
  /** How many commands are under way that may give its vote away. */
  yielding: number;
  /** Granted since the latest round began: later than its answer to that, if it said no. */
  hasGranted: boolean;
  /** Said no when it was asked last, and nothing since. */
  hasRefused: boolean;
}

/** Which nodes have a claim, by index, and until when that is provable; found out one by one, over several rounds. */
export class Votes {
  /** Made when the first of them says something: most claims are won without counting like this. */
  #nodeIndexes: Seat[] | undefined;

  constructor(private readonly nodes: number) {}

  beginRound(): void {
    if (this.#nodeIndexes) for (const nodeIndex of this.#nodeIndexes) nodeIndex.hasGranted = false;
  }

  has(nodeIndex: number): boolean {
    return this.#nodeIndexes?.[nodeIndex]!.vote !== undefined;
  }

  grant(nodeIndex: number, vote: Vote): void {
    const granting = this.#at(nodeIndex);
    granting.vote = vote;
    granting.hasRefused = false;
  }

  /** Not as an answer, but because it was our turn. */
  grantMeanwhile(nodeIndex: number, vote: Vote): void {
    this.grant(nodeIndex, vote);
    this.#at(nodeIndex).hasGranted = true;
    // The resource was free for us everywhere, or is about to be.
    for (const other of this.#nodeIndexes!) other.hasRefused = false;
  }

  /** Said no, or nothing. */
  refuse(nodeIndex: number, kind: string): void {
    const refusing = this.#at(nodeIndex);
    if (refusing.hasGranted) return;
    refusing.vote = undefined;
    if (kind !== 'unknown') refusing.hasRefused = true;
  }

  /** The node has the claim no more, whatever it said before. */
  drop(nodeIndex: number): void {
    const dropping = this.#at(nodeIndex);
    dropping.hasGranted = false;
    dropping.vote = undefined;
  }

  /** The node lifted its counter to so many tokens while it had the claim. */
  raised(nodeIndex: number, { token, tokens }: Omit<Found, 'stands'>): void {
    const raised = this.#at(nodeIndex);
    const { vote } = raised;
    if (vote && vote.fence < token) raised.vote = { ...vote, fence: token, tokens };
  }

  /** Until it is known what comes of it, the vote of this node does not count. */
  yielding(nodeIndex: number): void {
    this.#at(nodeIndex).yielding += 1;
  }

  yielded(nodeIndex: number, kept: boolean): void {
    const yielded = this.#at(nodeIndex);
    yielded.yielding -= 1;
    if (!kept) yielded.vote = undefined;
  }

  /** The validity that a quorum of votes has at least; undefined where there is no quorum. */
  quorum(clock: Clock): Validity | undefined {
    const votes = this.#counted();
    const quorum = quorumOf(this.nodes);
    if (votes.length < quorum) return undefined;
    const now = clock.now();
    votes.sort((a, b) => b.validity.remainingAt(now) - a.validity.remainingAt(now));
    return votes[quorum - 1]!.validity;
  }

  /** The fencing token of the votes that count at this moment, and whether it stands. */
  token(clock: Clock): Found | undefined {
    const quorum = quorumOf(this.nodes);
    const votes = this.#counted(clock.now());
    const fences = votes.map(({ fence }) => fence);
    const token = tokenOf(fences, quorum);
    if (token === undefined) return undefined;
    const tokens = Math.min(...votes.map((vote) => vote.tokens ?? 1));
    return { token, tokens, stands: stands(fences, quorum, token) };
  }

  /** When the oldest of those came whom the nodes of these votes saw wait. */
  oldest(clock: Clock): number {
    return Math.min(...this.#counted(clock.now()).map(({ oldest = 0 }) => oldest));
  }

  /** The indexes whose counters are below `token`. */
  below(token: number, clock: Clock): number[] {
    const counted = this.#counted(clock.now());
    const isBelow = ({ vote }: Seat): boolean => vote !== undefined && vote.fence < token && counted.includes(vote);
    return (this.#nodeIndexes ?? []).flatMap((nodeIndex, index) => (isBelow(nodeIndex) ? [index] : []));
  }

  /** Who voted for the claim, in words for an error. */
  outcomes(nodes: readonly { readonly name: string }[]): NodeOutcome[] {
    return nodes.map(({ name }, nodeIndex) => ({ node: name, outcome: this.has(nodeIndex) ? 'granted' : 'unknown' }));
  }

  /** Whether the counter of some node is not at `token`, or not likely to be, since it did not vote. */
  differFrom(token: number): boolean {
    return (this.#nodeIndexes ?? []).some(({ vote, hasRefused }) => hasRefused || (vote && vote.fence !== token));
  }

  #at(nodeIndex: number): Seat {
    return (this.#nodeIndexes ??= Array.from({ length: this.nodes }, noSeat))[nodeIndex]!;
  }

  /** The votes that nothing may give away, of those that still last at `now` where that is given. */
  #counted(now?: Moment): Vote[] {
    const counted: Vote[] = [];
    for (const { vote, yielding } of this.#nodeIndexes ?? []) {
      if (vote && yielding === 0 && !(now && vote.validity.remainingAt(now) <= 0)) counted.push(vote);
    }
    return counted;
  }
}

function noSeat(): Seat {
  return { vote: undefined, yielding: 0, hasGranted: false, hasRefused: false };
}
