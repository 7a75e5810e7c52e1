import type { Claim } from './claim.js';

/** No usable answer: an error, a closed connection or silence; never to be read as "held". */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
  /** False only where the command provably never left this process. */
  readonly sent: boolean;
  /** True where the node answered, and that it does not do it, nor would if it was asked again now. */
  readonly refused?: boolean;
}

export interface Held {
  readonly kind: 'held';
  /** Ms until the holder's lease ends on this node; Infinity where the key never expires. */
  readonly remaining: number;
  /** The value that stands in our way. */
  readonly owner: string;
}

export interface Granted {
  readonly kind: 'granted';
  /** The first of the fencing tokens that come with this vote: greater than all earlier ones, if the node remembers them. */
  readonly fence: number;
  /** When the oldest of those came who wait behind it on this node, microseconds; Infinity for nobody, 0 where that is not known. */
  readonly oldest?: number;
}

/** The node may have forgotten locks that are still held, and does not vote. */
export interface Quarantined {
  readonly kind: 'quarantined';
  /** Ms until it votes again. */
  readonly remaining: number;
}

export type AcquireAnswer = Granted | Held | Quarantined | Unknown;
export type YieldAnswer = { readonly kind: 'kept' } | { readonly kind: 'passed' } | { readonly kind: 'gone' } | Unknown;
export type ExtendAnswer =
  { readonly kind: 'extended' } | { readonly kind: 'missing' } | { readonly kind: 'taken' } | Unknown;
export type ReleaseAnswer = { readonly kind: 'released' } | { readonly kind: 'gone' } | Unknown;
export type RaiseAnswer = { readonly kind: 'raised' } | { readonly kind: 'gone' } | Unknown;
/** The node answers, but was barred. */
export interface Barred {
  readonly kind: 'barred';
  readonly reason: string;
}

/** The node answers, and gives no votes. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: string;
}

export type ProbeAnswer = { readonly kind: 'up' } | Barred | Refused | Quarantined | Unknown;

export type NodeEvent =
  | { readonly type: 'node-up' }
  | { readonly type: 'node-down'; readonly reason: string }
  | { readonly type: 'hand-off-unavailable'; readonly reason: string }
  /** It does not vote for `remaining` ms, because it may have forgotten locks that are still held. */
  | { readonly type: 'node-quarantined'; readonly reason: string; readonly remaining: number }
  /** It votes again. */
  | { readonly type: 'node-trusted' }
  /** It answers, and gives no votes. */
  | { readonly type: 'node-refused'; readonly reason: string }
  /** It gives votes again. */
  | { readonly type: 'node-accepted' }
  /** Something about it endangers locks, or their order. */
  | { readonly type: 'node-warning'; readonly reason: string };

/** Between which two numbers something is. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** What is asked, and where the answers go. */
export interface Question<A> {
  readonly claim: Claim;
  /** Ms the lease is to last from now, or lasts at most where it is given back. */
  readonly ttl: number;
  /** The fencing token that all nodes are to agree on; 0 where none is asked for. */
  readonly proposal: number;
  /** Takes the answer of the node in `index`: once, and later than the question was put. */
  answer(nodeIndex: number, answer: A | Unknown): void;
}

/**
 * One independent master as the algorithm sees it.
 *
 * Questions reach the node in the order of the calls. Every one is answered once, later than the call returns, and never by an
 * exception; it need not be answered in time, the caller keeps its own. `index` is by what the question knows the node.
 */
export interface LockNode {
  /** How errors and events call this node; holds no password. */
  readonly name: string;
  /** What no two servers have in common, once it is known. */
  readonly runId?: string | undefined;
  /** By how many ms its wall clock is ahead of the monotonic clock of this process, once that is known. */
  readonly clockAhead?: Bounds | undefined;
  /**
   * Takes all resources of the claim, or none. A claim with a ticket for a resource that is held is entered into the node's
   * line, and told by its ticket when it is its turn; what is free while others wait goes to the oldest of them.
   */
  acquire(question: Question<AcquireAnswer>, nodeIndex: number): void;
  /** Passes what the node has of the claim to an older waiter of its line, and enters the claim behind it; else keeps it. */
  yield(question: Question<YieldAnswer>, nodeIndex: number): void;
  /**
   * Lifts the fence counters of the claim's resources to the proposal, the last of its tokens, unless that is too far ahead of the
   * node's clock; says whether the node still has the claim.
   */
  raise(question: Question<RaiseAnswer>, nodeIndex: number): void;
  /** Lets the lease of a claim that this node still has begin again. */
  extend(question: Question<ExtendAnswer>, nodeIndex: number): void;
  /**
   * Deletes the claim from this node and from its line, and gives the resource to the first waiter of that line, unless the claim is
   * followed. While the connection is down, the release is owed: it is sent before anything else once the node is back, unless the ttl
   * has passed since this call.
   */
  release(question: Question<ReleaseAnswer>, nodeIndex: number): void;
  /** From now on nothing is asked of the node, and nothing counts that it says, for this reason; undefined ends that. */
  bar?(reason: string | undefined): void;
  /** Finds out whether it would vote, by all that a vote takes; leaves nothing behind. */
  probe(answered: (answer: ProbeAnswer) => void): void;
  /**
   * Starts to connect; resolves once connected or once the first try has failed, and never rejects. Calls `identified` before
   * anything is asked over a connection: `runId` says which server is at its end, or is undefined.
   */
  open(listener: (event: NodeEvent) => void, identified?: () => void): Promise<void>;
  /** Settles what is open and closes the connection. */
  close(): Promise<void>;
}
