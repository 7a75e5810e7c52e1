import type { Clock } from './clock.js';
import type { NodeOutcome } from './errors.js';
import { stands, tokenOf } from './fencing.js';
import { quorumOf } from './quorum.js';
import type { Validity } from './validity.js';

/** One node's vote: until when it provably lasts, and the node's fence counter with it. */
interface Vote {
  readonly validity: Validity;
  readonly fence: number;
  /** @see Granted.oldest */
  readonly oldest?: number | undefined;
}

/** Which nodes have a claim, by seat, and until when that is provable; found out one by one, over several rounds. */
export class Votes {
  #votes: Map<number, Vote> | undefined;
  /** By seat, how many commands are under way that may give its vote away. */
  #yielding: Map<number, number> | undefined;
  /** Granted since the latest round began: later than the answers to it that said no. */
  #granted: Set<number> | undefined;
  /** Said no when they were asked last, and nothing since. */
  #refused: Set<number> | undefined;

  constructor(private readonly nodes: number) {}

  beginRound(): void {
    this.#granted?.clear();
  }

  has(seat: number): boolean {
    return this.#votes?.has(seat) === true;
  }

  grant(seat: number, vote: Vote): void {
    (this.#votes ??= new Map()).set(seat, vote);
    this.#refused?.delete(seat);
  }

  /** Not as an answer, but because it was our turn. */
  grantMeanwhile(seat: number, vote: Vote): void {
    (this.#granted ??= new Set()).add(seat);
    // The resource was free for us everywhere, or is about to be.
    this.#refused?.clear();
    this.grant(seat, vote);
  }

  /** Said no, or nothing. */
  refuse(seat: number, kind: string): void {
    if (this.#granted?.has(seat)) return;
    this.#votes?.delete(seat);
    if (kind !== 'unknown') (this.#refused ??= new Set()).add(seat);
  }

  /** The node has the claim no more, whatever it said before. */
  drop(seat: number): void {
    this.#granted?.delete(seat);
    this.#votes?.delete(seat);
  }

  /** The node lifted its counter while it had the claim. */
  raised(seat: number, token: number): void {
    const vote = this.#votes?.get(seat);
    if (vote) this.#votes!.set(seat, { ...vote, fence: Math.max(vote.fence, token) });
  }

  /** Until it is known what comes of it, the vote of this node does not count. */
  yielding(seat: number): void {
    this.#yielding ??= new Map();
    this.#yielding.set(seat, (this.#yielding.get(seat) ?? 0) + 1);
  }

  yielded(seat: number, kept: boolean): void {
    this.#yielding!.set(seat, this.#yielding!.get(seat)! - 1);
    if (!kept) this.#votes?.delete(seat);
  }

  /** The validity that a quorum of votes has at least; undefined where there is no quorum. */
  quorum(clock: Clock): Validity | undefined {
    const quorum = quorumOf(this.nodes);
    if (this.#votes === undefined || this.#votes.size < quorum) return undefined;
    const now = clock.now();
    const counted = this.#counted().map(([, { validity }]) => validity);
    counted.sort((a, b) => b.remainingAt(now) - a.remainingAt(now));
    return counted[quorum - 1];
  }

  /** The fencing token of the votes that count at this moment, and whether it stands. */
  token(clock: Clock): { readonly token: number; readonly stands: boolean } | undefined {
    const quorum = quorumOf(this.nodes);
    const fences = this.#living(clock).map(([, { fence }]) => fence);
    const token = tokenOf(fences, quorum);
    return token === undefined ? undefined : { token, stands: stands(fences, quorum, token) };
  }

  /** When the oldest of those came whom the nodes of these votes saw wait. */
  oldest(clock: Clock): number {
    return Math.min(...this.#living(clock).map(([, { oldest = 0 }]) => oldest));
  }

  /** The seats whose counters are below `token`. */
  below(token: number, clock: Clock): number[] {
    return this.#living(clock)
      .filter(([, { fence }]) => fence < token)
      .map(([seat]) => seat);
  }

  /** Who voted for the claim, in words for an error. */
  outcomes(nodes: readonly { readonly name: string }[]): NodeOutcome[] {
    return nodes.map(({ name }, seat) => ({ node: name, outcome: this.has(seat) ? 'granted' : 'unknown' }));
  }

  /** Whether the counter of some node is not at `token`, or not likely to be, since it did not vote. */
  differFrom(token: number): boolean {
    if (this.#refused !== undefined && this.#refused.size > 0) return true;
    return [...(this.#votes?.values() ?? [])].some(({ fence }) => fence !== token);
  }

  #counted(): [number, Vote][] {
    return [...(this.#votes ?? [])].filter(([seat]) => !this.#yielding?.get(seat));
  }

  #living(clock: Clock): [number, Vote][] {
    const now = clock.now();
    return this.#counted().filter(([, { validity }]) => validity.remainingAt(now) > 0);
  }
}
