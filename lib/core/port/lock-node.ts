import type { Claim } from './claim.js';
import type { NoteListener } from './process-note.js';

/** There is no usable answer, because of an error, a closed connection or silence. It must never be read as "held". */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
  /** False only if the command provably never left this process. */
  readonly sent: boolean;
  /** True if the node answered that it does not execute the command, and would answer the same if it was asked again now. */
  readonly refused?: boolean;
}

export interface HeldAnswer {
  readonly kind: 'held';
  /** Ms until the holder's lease ends on this node; Infinity where the key never expires. */
  readonly remaining: number;
  /** The value of the owner that has the resource. */
  readonly owner: string;
}

export interface Granted {
  readonly kind: 'granted';
  /** The first of the fencing tokens that come with this vote. It is greater than all earlier ones, if the node remembers them. */
  readonly fence: number;
  /** Microseconds: when the oldest waiter behind this claim came, on this node; Infinity if nobody waits, 0 if that is not known. */
  readonly oldest?: number;
}

/** The node does not vote, because it may have forgotten locks that are still held. */
export interface Quarantined {
  readonly kind: 'quarantined';
  /** Ms until the node votes again. */
  readonly remaining: number;
}

export type AcquireAnswer = Granted | HeldAnswer | Quarantined | Unknown;
export type YieldAnswer = { readonly kind: 'kept' } | { readonly kind: 'passed' } | { readonly kind: 'gone' } | Unknown;
export type ExtendAnswer =
  { readonly kind: 'extended' } | { readonly kind: 'missing' } | { readonly kind: 'taken' } | Unknown;
export type ReleaseAnswer = { readonly kind: 'released' } | { readonly kind: 'gone' } | Unknown;
export type RaiseAnswer = { readonly kind: 'raised' } | { readonly kind: 'gone' } | Unknown;
/** The node answers, but the pool has barred it from voting. */
export interface Barred {
  readonly kind: 'barred';
  readonly reason: string;
}

/** The node answers, but refuses to vote. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: string;
}

export type ProbeAnswer = { readonly kind: 'up' } | Barred | Refused | Quarantined | Unknown;

export type NodeEvent =
  | { readonly type: 'node-up' }
  | { readonly type: 'node-down'; readonly reason: string }
  | { readonly type: 'hand-off-unavailable'; readonly reason: string }
  /** The node does not vote for `remaining` ms, because it may have forgotten locks that are still held. */
  | { readonly type: 'node-quarantined'; readonly reason: string; readonly remaining: number }
  /** The node votes again after its quarantine. */
  | { readonly type: 'node-trusted' }
  /** The node answers, but refuses to vote. */
  | { readonly type: 'node-refused'; readonly reason: string }
  /** The node votes again after it had refused to. */
  | { readonly type: 'node-accepted' }
  /** Something about the node endangers locks, or their order. */
  | { readonly type: 'node-warning'; readonly reason: string };

/** The two numbers between which a value lies that is not known exactly. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** What a node is asked, and where its answer goes. */
export interface Question<A> {
  readonly claim: Claim;
  /** Ms that the lease is to last from now on; for a release, ms that it lasts at most. */
  readonly ttl: number;
  /** The fencing token that all nodes are to agree on; 0 if the question asks for none. */
  readonly proposal: number;
  /** How many fencing tokens are asked for with a vote or, if the counters are to be raised, how many the claim has. */
  readonly tokens: number;
  /** True for the first question about a claim. A node that this question does not reach knows nothing of the claim. */
  readonly isFirst?: boolean | undefined;
  /** True for an extension that may also make the lease shorter, because the holder has finished with the claim. */
  readonly mayShorten?: boolean | undefined;
  /**
   * True for a release after which another caller of this process asks for the resource in the same turn of the event loop. The release then
   * does not serve the line of the node: the request that follows it does.
   */
  readonly isFollowed?: boolean | undefined;
  /** Receives the answer of the node at `nodeIndex`: once, and only after the call that put the question has returned. */
  answer(nodeIndex: number, answer: A | Unknown): void;
}

/**
 * One independent master as the algorithm sees it.
 *
 * Questions reach the node in the order of the calls. Every question is answered once, after the call has returned, and never by an
 * exception. An answer may come late: the caller has a timeout of its own. `nodeIndex` is the number by which the question knows the node.
 */
export interface LockNode {
  /** The name of this node in errors and events; it contains no password. */
  readonly name: string;
  /** Identifies the server, once it is known: no two servers have the same id. */
  readonly runId?: string | undefined;
  /** Ms by which the wall clock of the node is ahead of the monotonic clock of this process, once that is known. */
  readonly clockAhead?: Bounds | undefined;
  /**
   * Takes all resources of the claim, or none. If the resource is held and the claim has a place, the claim is entered into the line
   * of the node, and its place is called when its turn comes. A resource that is free while others wait goes to the oldest waiter.
   */
  acquire(question: Question<AcquireAnswer>, nodeIndex: number): void;
  /**
   * Passes the resource of the claim to an older waiter in the line of the node, and puts the claim into the line behind that waiter. If there
   * is no older waiter, the claim keeps the resource.
   */
  yield(question: Question<YieldAnswer>, nodeIndex: number): void;
  /**
   * Raises the fence counters of the claim's resources to the proposal, which is the last token of the claim, unless that is too far
   * ahead of the clock of the node. The answer says whether the node still has the claim.
   */
  raise(question: Question<RaiseAnswer>, nodeIndex: number): void;
  /** Starts the lease of the claim again, if this node still has the claim. */
  extend(question: Question<ExtendAnswer>, nodeIndex: number): void;
  /**
   * Deletes the claim from this node and from its line, and gives the resource to the first waiter in that line, unless the
   * question `isFollowed`. While the connection is down, the release is owed: it is sent before anything else once the node is back, unless the ttl
   * has passed since this call.
   */
  release(question: Question<ReleaseAnswer>, nodeIndex: number): void;
  /** Bars the node for this reason: it is asked nothing more, and its answers do not count. `undefined` ends that. */
  bar?(reason: string | undefined): void;
  /** Finds out whether the node would vote, by everything that a vote needs; leaves nothing behind on the node. */
  probe(answered: (answer: ProbeAnswer) => void): void;
  /** Asks for what the process with this mark says about itself. A node that fails or refuses answers as one that has no such note. */
  noteOf(mark: string, answered: NoteListener): void;
  /**
   * Starts to connect; resolves once the node is connected or the first try has failed, and never rejects. Calls `identified` before
   * anything is asked over a new connection: `runId` then says which server the connection leads to, or is undefined.
   */
  open(listener: (event: NodeEvent) => void, identified?: () => void): Promise<void>;
  /** Settles the open questions and closes the connection. */
  close(): Promise<void>;
}
