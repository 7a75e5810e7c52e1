import type { Clock } from './clock.js';
import { quorumOf } from './quorum.js';
import type { Validity } from './validity.js';

/** Which nodes have a claim, by seat, and until when that is provable; found out one by one, over several rounds. */
export class Votes {
  #votes: Map<number, Validity> | undefined;
  /** By seat, how many commands are under way that may give its vote away. */
  #yielding: Map<number, number> | undefined;
  /** Granted since the latest round began: later than the answers to it that said no. */
  #granted: Set<number> | undefined;

  constructor(private readonly nodes: number) {}

  beginRound(): void {
    this.#granted?.clear();
  }

  has(seat: number): boolean {
    return this.#votes?.has(seat) === true;
  }

  grant(seat: number, validity: Validity): void {
    (this.#votes ??= new Map()).set(seat, validity);
  }

  /** Not as an answer, but because it was our turn. */
  grantMeanwhile(seat: number, validity: Validity): void {
    (this.#granted ??= new Set()).add(seat);
    this.grant(seat, validity);
  }

  refuse(seat: number): void {
    if (!this.#granted?.has(seat)) this.#votes?.delete(seat);
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
    const counted = [...this.#votes].filter(([seat]) => !this.#yielding?.get(seat)).map(([, validity]) => validity);
    counted.sort((a, b) => b.remaining(clock) - a.remaining(clock));
    return counted[quorum - 1];
  }
}
