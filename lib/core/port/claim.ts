import type { Moment } from '../time/clock.js';

/**
 * Ms after which a waiter asks the nodes again at the latest, however long its `retryDelay` is. A node forgets a line after twice this time without
 * any request for it.
 */
export const LONGEST_SILENCE_IN_LINE = 30_000;

/** The place of one waiter in the line for one resource. */
export interface Place {
  /** Microseconds on the clocks of the nodes: when the waiter came. It is the same on all nodes, so that they agree on who is next. */
  readonly arrived: number;
  /**
   * Microseconds on the monotonic clock of this process, rounded: when the waiter came. If `arrived` is far off the clock of a node, the
   * node computes the arrival time from this value instead.
   */
  readonly arrivedMonotonic?: number | undefined;
  /** Ms for which a node keeps the resource for this waiter after the grant: the whole ttl of the waiter. */
  readonly ttl: number;
  /** How many fencing tokens the waiter asks for with each vote. @default 1 */
  readonly tokens?: number;
  /** False once the waiter has stopped waiting, whether it got the resource or not. */
  readonly isWaiting: boolean;
  /** Called when the node with the name `node` has given the resource to this waiter. A node does not know its index. */
  granted(node: string, grant: Grant): void;
  /** Called when a vote of the node at `nodeIndex` does not count any more. */
  doubted?(nodeIndex: number): void;
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

/**
 * What a caller stands for on the nodes under one random value: every command about it carries it there. A caller in line keeps one claim for many
 * rounds, a caller that polls makes a new one for each. The data of a claim never changes, except that it ends; what the engine finds out about its
 * own claims is in `OwnClaim`.
 */
export class Claim {
  /**
   * True once the holder has finished with the claim or has lost it: the channel of grants may forget it. (Whether a grant ends a
   * wait does not depend on that, but on whether a caller still waits at its place in line.)
   */
  readonly isOver: boolean = false;

  constructor(
    readonly resources: readonly string[],
    /** The random value of the owner. A new claim has a new value, except for the parts of a lock on several resources, which share one. */
    readonly value: string,
    /** The place in line that the claim takes if the resource is held; without one the claim does not wait. */
    readonly place?: Place,
  ) {}

  /**
   * True if no single vote may be given back any more: the claim may have its lock, or its wait is over, and then the release of the whole claim
   * gives back what there is.
   */
  get mustKeepVotes(): boolean {
    return this.place?.isWaiting === false;
  }

  /**
   * Stops counting votes of the node at `nodeIndex`. Either a command that gives the vote away may still arrive there, such as a release that is
   * on its way or owed: then `resolveDoubt` ends the doubt when that command was answered. Or the node answered what must not count, and its vote
   * is not given back: then the doubt lasts for as long as the claim. Called once for each of them.
   */
  doubt(_nodeIndex: number): void {
    // Nobody counts votes for a claim that is not the engine's own.
  }

  /** Ends one doubt, because its command was answered. Without any doubt left, new votes of the node count again. */
  resolveDoubt(_nodeIndex: number): void {
    // There was no doubt.
  }
}
