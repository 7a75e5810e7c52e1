import type { Claim } from './claim.js';

/** No usable answer: an error, a closed connection or silence; never to be read as "held". */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
  /** False only where the command provably never left this process. */
  readonly sent: boolean;
}

export interface Held {
  readonly kind: 'held';
  /** Ms until the holder's lease ends on this node; Infinity where the key never expires. */
  readonly remaining: number;
  /** The value that stands in our way. */
  readonly owner: string;
}

export type AcquireAnswer = { readonly kind: 'granted' } | Held | Unknown;
export type ExtendAnswer =
  { readonly kind: 'extended' } | { readonly kind: 'missing' } | { readonly kind: 'taken' } | Unknown;
export type ReleaseAnswer = { readonly kind: 'released' } | { readonly kind: 'gone' } | Unknown;
export type ProbeAnswer = { readonly kind: 'up' } | Unknown;

export type NodeEvent = { readonly type: 'node-up' } | { readonly type: 'node-down'; readonly reason: string };

/**
 * One independent master as the algorithm sees it.
 *
 * Commands reach the node in the order of the calls. Every call is answered once, later than it returns, and never by an
 * exception; it need not be answered in time, the caller keeps its own.
 */
export interface LockNode {
  /** How errors and events call this node; holds no password. */
  readonly name: string;
  /** Takes all resources of the claim for `ttl` ms, or none. */
  acquire(claim: Claim, ttl: number, answered: (answer: AcquireAnswer) => void): void;
  /** Makes the lease of a claim that this node still has end `ttl` ms from now. */
  extend(claim: Claim, ttl: number, answered: (answer: ExtendAnswer) => void): void;
  /**
   * Deletes what this node has of the claim. Where the connection is down the release is owed: it is sent first once the
   * node is back, unless `ttl` ms have passed since this call.
   */
  release(claim: Claim, ttl: number, answered: (answer: ReleaseAnswer) => void): void;
  probe(answered: (answer: ProbeAnswer) => void): void;
  /** Starts to connect; resolves once connected or once the first try has failed, and never rejects. */
  open(listener: (event: NodeEvent) => void): Promise<void>;
  /** Settles what is open and closes the connection. */
  close(): Promise<void>;
}
