import type { Moment } from '../time/clock.js';

/** A place in the line of waiters for one resource. */
export interface Ticket {
  /** Microseconds on the clocks of the nodes when the waiter came; the same on all nodes, so that they agree who is next. */
  readonly arrived: number;
  /** About the same on the monotonic clock of this process, by which a node sees that `arrived` is far off its clock, and dates it itself. */
  readonly since?: number | undefined;
  /** Ms for which a node that gives the resource to this waiter keeps it for this waiter: its whole ttl. */
  readonly ttl: number;
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
  /** How many fencing tokens come with a vote that is asked for it; once it has its token, how many it has. */
  tokens = 1;
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
  /** The claims under the same value by which its resources were taken one by one; given back with it. */
  parts: readonly Claim[] | undefined;
  #asked = false;
  /** By index, how many commands may give it away at any time. */
  #doubts: Map<number, number> | undefined;
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
    return this.#doubts !== undefined && this.#doubts.size > 0;
  }

  /**
   * From now on nothing counts that the node at `index` gives: it may be told at any time to give it away, by bytes of a broken
   * connection that come late, or by a release that is owed or on its way. Once for each of these.
   */
  doubt(nodeIndex: number): void {
    const doubts = (this.#doubts ??= new Map());
    doubts.set(nodeIndex, (doubts.get(nodeIndex) ?? 0) + 1);
  }

  /** One of the commands that cast doubt has been answered: what the node gives after that is ours. */
  resolveDoubt(nodeIndex: number): void {
    const left = (this.#doubts?.get(nodeIndex) ?? 0) - 1;
    if (left > 0) this.#doubts!.set(nodeIndex, left);
    else this.#doubts?.delete(nodeIndex);
  }

  isDoubtful(nodeIndex: number): boolean {
    return this.#doubts?.has(nodeIndex) === true || this.parts?.some((part) => part.isDoubtful(nodeIndex)) === true;
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
