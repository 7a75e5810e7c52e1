import type { Moment } from './clock.js';

/** A place in the line of waiters for one resource. */
export interface Ticket {
  /** Microseconds on the wall clock when the waiter came; the same on all nodes, so that they agree who is next. */
  readonly arrived: number;
  /** Ms for which a node that gives the resource to this waiter keeps it for it. */
  readonly grace: number;
  /** False once nobody waits any more, with or without the resource. */
  readonly isTaken: boolean;
  /** Told that `node` gave the resource to this waiter, not before `since`, and raised its fence counter to `fence`. */
  granted(node: string, grant: Grant): void;
}

/** A vote that was given without having been asked for in the same round. */
export interface Grant {
  readonly since: Moment;
  readonly fence: number;
  /** @see Granted.oldest */
  readonly oldest?: number | undefined;
}

/** One attempt to own resources: what every command of this attempt carries to every node. */
export class Claim {
  /** True where the next in line of this process asks in the same turn as this claim is released. */
  followed = false;
  /** True once its holder is through with it: only now may the nodes be told to let it end sooner. */
  over = false;
  /** The first of its fencing tokens, once it is known. */
  token = 0;
  /** How many callers of this process have passed the lock on, each of whom used up one token. */
  passed = 0;
  /** When the oldest of those came who were seen to wait in other processes, microseconds; 0 where that is not known. */
  oldest = 0;
  /** When its first holder had it. */
  taken: Moment | undefined;
  /** Whether the fence counter of some node is known, or likely, to differ from the token. */
  diverged = false;
  /** An adapter's own form of this claim, kept here so that all nodes share it. */
  encoding: unknown;
  #asked = false;
  /** Seats of nodes that may give it away at any time. */
  #doubtful: Set<number> | undefined;
  #unreached: Set<object> | undefined;

  constructor(
    readonly resources: readonly string[],
    /** The owner's random mark, new for every attempt. */
    readonly value: string,
    /** The place that is taken where the resource is held; without one the claim does not wait. */
    readonly ticket?: Ticket,
  ) {}

  /** Whether there is a node that `isDoubtful`. */
  get spoiled(): boolean {
    return this.#doubtful !== undefined;
  }

  /**
   * From now on nothing counts that the node at `seat` gives: it may be told at any time to give it away, by bytes of a broken
   * connection that come late, or by a release that is owed.
   */
  doubt(seat: number): void {
    (this.#doubtful ??= new Set()).add(seat);
  }

  isDoubtful(seat: number): boolean {
    return this.#doubtful?.has(seat) === true;
  }

  /** Notes whether a command that takes the resources left for `node`, until every node was asked. */
  noteSent(node: object, sent: boolean): void {
    if (sent) this.#unreached?.delete(node);
    else if (!this.#asked) (this.#unreached ??= new Set()).add(node);
  }

  /** A holder has it from now on; returns how many had it before. */
  take(now: Moment): number {
    this.taken ??= now;
    return this.passed;
  }

  /** Every node was asked once: what has reached it by now, no later command can take back. */
  asked(): void {
    this.#asked = true;
  }

  /** False where `node` provably never heard of this claim, so that nothing is owed to it. */
  mayBeOn(node: object): boolean {
    return !this.#unreached?.has(node);
  }
}
