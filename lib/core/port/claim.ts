import type { Moment } from '../time/clock.js';

/** The place of one waiter in the line for one resource. */
export interface Ticket {
  /** Microseconds on the clocks of the nodes: when the waiter came. It is the same on all nodes, so that they agree on who is next. */
  readonly arrived: number;
  /**
   * Microseconds on the monotonic clock of this process, rounded: when the waiter came. If `arrived` is far off the clock of a node, the
   * node computes the arrival time from this value instead.
   */
  readonly since?: number | undefined;
  /** Ms for which a node keeps the resource for this waiter after the grant: the whole ttl of the waiter. */
  readonly ttl: number;
  /** False once the waiter has stopped waiting, whether it got the resource or not. */
  readonly isTaken: boolean;
  /** Called when `node` has given the resource to this waiter. */
  granted(node: string, grant: Grant): void;
}

/** A vote that a node gives to a waiter in its line without having been asked for it in the same round. */
export interface Grant {
  /** A moment not later than the grant: the lease is counted from here. */
  readonly since: Moment;
  /** @see Granted.fence */
  readonly fence: number;
  /** @see Granted.oldest */
  readonly oldest?: number | undefined;
}

/** One attempt to own resources under one random value. Every command of the attempt carries it to the nodes. */
export class Claim {
  /**
   * True if another caller of this process asks for the resource in the same turn of the event loop in which this claim is released. The
   * release then does not serve the line of the node: the request that follows it does.
   */
  followed = false;
  /** True once the holder has finished with the claim or has lost it. Only from then on may a command shorten its lease on the nodes. */
  over = false;
  /** The first fencing token of the claim; 0 until it is known. */
  token = 0;
  /** How many fencing tokens are requested with each vote; once the token is known, how many tokens the claim has. */
  tokens = 1;
  /** How many callers of this process have passed the lock on. Each of them has used up one token. */
  passed = 0;
  /** Microseconds: the arrival time of the oldest waiter seen in another process; Infinity for none, 0 if that is not known. */
  oldest = 0;
  /** When the first holder got the claim. */
  taken: Moment | undefined;
  /** True if the fence counter of a node is known to differ from the token, or is likely to. */
  diverged = false;
  /** The claims with the same value that took the resources one by one. They are released together with this claim. */
  parts: readonly Claim[] | undefined;
  #asked = false;
  /** By node index: how many commands are open that may give the claim away on that node at any time. */
  #doubts: Map<number, number> | undefined;
  #unreached: Set<object> | undefined;

  constructor(
    readonly resources: readonly string[],
    /** The random value of the owner; every attempt has a new one. */
    readonly value: string,
    /** The place in line that the claim takes if the resource is held; without a ticket the claim does not wait. */
    readonly ticket?: Ticket,
  ) {}

  /** True if at least one node is in doubt; the `parts` are not looked at. */
  get spoiled(): boolean {
    return this.#doubts !== undefined && this.#doubts.size > 0;
  }

  /**
   * Stops counting votes of the node at `nodeIndex`, because a command that gives the vote away may still arrive there: late bytes of a
   * broken connection, or a release that is owed or on its way. It is called once for each such command.
   */
  doubt(nodeIndex: number): void {
    const doubts = (this.#doubts ??= new Map());
    doubts.set(nodeIndex, (doubts.get(nodeIndex) ?? 0) + 1);
  }

  /** Takes one doubt back, because its command was answered. Without any doubt left, the votes of the node count again. */
  resolveDoubt(nodeIndex: number): void {
    const remaining = (this.#doubts?.get(nodeIndex) ?? 0) - 1;
    if (remaining > 0) this.#doubts!.set(nodeIndex, remaining);
    else this.#doubts?.delete(nodeIndex);
  }

  isDoubtful(nodeIndex: number): boolean {
    return this.#doubts?.has(nodeIndex) === true || this.parts?.some((part) => part.isDoubtful(nodeIndex)) === true;
  }

  /** Records whether a command that takes the resources was sent to `node`. After `asked()`, a command that was not sent changes nothing. */
  noteSent(node: object, sent: boolean): void {
    if (sent) this.#unreached?.delete(node);
    else if (!this.#asked) (this.#unreached ??= new Set()).add(node);
  }

  /** Gives the claim to its next holder; returns how many holders had it before. */
  take(now: Moment): number {
    this.taken ??= now;
    return this.passed;
  }

  /** Notes that every node was asked once. A node that was reached by then may have the claim, even if a later command is not sent. */
  asked(): void {
    this.#asked = true;
  }

  /** Returns false if `node` provably never heard of this claim, so that no release is owed to it. */
  mayBeOn(node: object): boolean {
    return !this.#unreached?.has(node);
  }
}
