import { Claim, type Place } from '../port/claim.js';
import type { AcquireAnswer, Unknown } from '../port/lock-node.js';

/** What the votes for a claim agree on. */
type Agreement = Pick<OwnClaim, 'token' | 'tokens' | 'oldest' | 'isDiverged'>;

/** The fields are `readonly` for everybody else; the methods of `OwnClaim` change them. */
type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * A claim of this process, with what the engine has found out about it: whose votes count, its fencing tokens, and whether it is over. That is
 * changed only by the methods of this class.
 */
export class OwnClaim extends Claim {
  /** The first fencing token of the claim; 0 until it is known. */
  readonly token: number = 0;
  /** How many fencing tokens are requested with each vote; once the token is known, how many tokens the claim has. */
  readonly tokens: number;
  /** Microseconds: the arrival time of the oldest waiter seen in another process; Infinity for none, 0 if that is not known. */
  readonly oldest: number = 0;
  /** True if the fence counter of a node is known to differ from the token, or is likely to. */
  readonly isDiverged: boolean = false;
  /** The claims with the same value that this one makes one; they are released together with it. */
  readonly parts: readonly OwnClaim[] | undefined = undefined;
  /** By node index: for how many reasons votes of that node do not count. @see Claim.doubt */
  #doubts: Map<number, number> | undefined;

  constructor(resources: readonly string[], value: string, place?: Place) {
    super(resources, value, place);
    this.tokens = place?.tokens ?? 1;
  }

  /**
   * Returns a claim that makes one of the claims `parts`, which took its resources one by one under the same value. What is doubtful about the
   * `former` claim of the same value, with which that was tried before, is doubtful about this one.
   */
  static merging(
    parts: readonly OwnClaim[],
    { resources, value, former }: { resources: readonly string[]; value: string; former?: OwnClaim | undefined },
  ): OwnClaim {
    const claim = new OwnClaim(resources, value);
    if (former) claim.#doubts = former.#doubts ??= new Map();
    const merged: Mutable<OwnClaim> = claim;
    merged.parts = parts;
    return claim;
  }

  /** True also once the claim has a token: the votes that gave the token may have given the lock. */
  override get mustKeepVotes(): boolean {
    return this.token !== 0 || super.mustKeepVotes;
  }

  /** True if votes of at least one node do not count for this claim. The `parts` are checked where their leases are, in `several.ts`. */
  get isDoubtful(): boolean {
    return this.#doubts !== undefined && this.#doubts.size > 0;
  }

  isDoubtfulAt(nodeIndex: number): boolean {
    return this.#doubts?.has(nodeIndex) === true || this.parts?.some((part) => part.isDoubtfulAt(nodeIndex)) === true;
  }

  override doubt(nodeIndex: number): void {
    const doubts = (this.#doubts ??= new Map());
    doubts.set(nodeIndex, (doubts.get(nodeIndex) ?? 0) + 1);
    this.place?.doubted?.(nodeIndex);
  }

  override resolveDoubt(nodeIndex: number): void {
    const remaining = (this.#doubts?.get(nodeIndex) ?? 0) - 1;
    if (remaining > 0) this.#doubts!.set(nodeIndex, remaining);
    else this.#doubts?.delete(nodeIndex);
  }

  /** Gives the claim the token that all votes have in common; `note` then takes what else they say. */
  agree(this: Mutable<OwnClaim>, token: number): void {
    this.token = token;
    this.oldest = Infinity;
  }

  /** Gives the claim what votes that differ from each other agree on. */
  agreeOn(this: Mutable<OwnClaim>, { token, tokens, oldest, isDiverged }: Agreement): void {
    this.token = token;
    this.tokens = tokens;
    this.oldest = oldest;
    this.isDiverged = isDiverged;
  }

  /** Records what the answer of a node says about fence counters and waiters. A node that did not vote probably has another counter. */
  note(this: Mutable<OwnClaim>, answer: Exclude<AcquireAnswer, Unknown>): void {
    if (answer.kind !== 'granted' || answer.fence !== this.token) this.isDiverged = true;
    if (answer.kind === 'granted') this.oldest = Math.min(this.oldest, answer.oldest ?? 0);
  }

  /** Records that the holder has finished with the claim, or has lost it. */
  finish(this: Mutable<OwnClaim>): void {
    this.isOver = true;
  }
}
