/*
 * The words. Durations are ms; dates are microseconds on the clock of the nodes.
 *
 * value     the unique text of one attempt; a node votes by setting the key of the resource to the value
 * proposal  the fencing token that a process asks for: the date. The node raises it if its counter is ahead
 * place     the place of a waiting process in the queue of a node, sorted by `arrival`
 * arrival   the date when the oldest caller of a waiting process came
 * deposit   the next attempt of a waiting process, left with its place: after a release, the node votes for the deposit of the first place by
 *           itself, and says so by a hand-off message
 * oldest    the arrival of the first place that is left in the queue after a vote
 *
 * Beside a lock, a node may keep the record of what was done under it: one text, which is a register (single-decree Paxos).
 *
 * ballot    the fencing token and the value of an attempt: a greater token is a greater ballot, and for one token the value decides
 * promise   what a node gives to an attempt that opens the key of a record: it takes no record of a smaller ballot any more
 * record    what an attempt has settled: it lasts for its ttl, and the promise lasts with it
 */

/** The attempt that a node may vote for on its own once its turn has come. */
export interface Deposit {
  readonly value: string;
  readonly ttl: number;
  readonly proposal: number;
  /** How many fencing tokens the vote takes. It never changes for one value. */
  readonly count: number;
}

/** Asks for a vote: sets the key to the value if the resource is free. */
export interface AcquireOperation {
  readonly kind: 'acquire';
  readonly resource: string;
  readonly value: string;
  readonly ttl: number;
  readonly proposal: number;
  readonly count: number;
  /**
   * The arrival of this process, if it waits when the resource is held. The node then keeps its place together with a deposit: the next value
   * (`nextValueOf`) with the same ttl, proposal and count. Undefined for a single attempt.
   */
  readonly arrival?: number | undefined;
  /** Opens the record of the resource together with the vote. A node that has a record does not vote. */
  readonly opens?: OpenedByVote | undefined;
}

/** What a vote opens under the proposed token; if anything stands under the record's key, the node votes and leaves that as it is. */
export interface OpenedByVote {
  readonly fingerprint: string | null;
  /** Ms for which the promise lasts at least. */
  readonly ttl: number;
}

/** Deletes the key if it has the value, and gives the resource to the first living place in the queue of the node. */
export interface ReleaseOperation {
  readonly kind: 'release';
  readonly resource: string;
  readonly value: string;
  /** Ms for which the value may stay on the node at most, so that a pending release is forgotten after that. */
  readonly ttl: number;
  /**
   * 'leave': this process leaves the queue, also if the value is empty. 'stay': it stays where it is. 'followed': an acquire for the resource follows
   * in the same batch, and serves the queue itself.
   */
  readonly what: 'stay' | 'leave' | 'followed';
  /** The place that this process takes again, with its deposit. */
  readonly place?: { readonly arrival: number; readonly deposit: Deposit } | undefined;
}

/** Starts the lease again if the key has the value, but makes it no shorter. */
export interface ExtendOperation {
  readonly kind: 'extend';
  readonly resource: string;
  readonly value: string;
  readonly ttl: number;
  /** True if the holder has finished: the key then lasts exactly so long, under a value that nobody releases. */
  readonly isKept?: boolean | undefined;
}

/** Raises the fence counter of the resource to `token`; confirmed only if the key has the value. */
export interface RaiseOperation {
  readonly kind: 'raise';
  readonly resource: string;
  readonly value: string;
  readonly token: number;
}

/** Asks for a promise, and reads what stands. Asking again changes nothing but the fingerprint. */
export interface OpenOperation {
  readonly kind: 'open';
  readonly resource: string;
  readonly value: string;
  readonly token: number;
  /** What the request was like, hashed; null if requests are not compared. */
  readonly fingerprint: string | null;
  /** Ms for which the promise lasts at least. If there is a record, the promise lasts as long as the record. */
  readonly ttl: number;
}

/** Keeps a record, unless a greater ballot has a promise. */
export interface SettleOperation extends Omit<OpenOperation, 'kind'> {
  readonly kind: 'settle';
  readonly record: string;
}

/** Reads what stands, without a promise. */
export interface PeekOperation {
  readonly kind: 'peek';
  readonly resource: string;
}

/** Removes the promise of this ballot if there is no record. */
export interface ClearOperation {
  readonly kind: 'clear';
  readonly resource: string;
  readonly value: string;
  readonly token: number;
  /** Whether the promise before it stands again; otherwise nothing stands. */
  readonly isWithdrawn?: boolean | undefined;
}

/** Removes the promise and the record, whoever has them. */
export interface ForgetOperation {
  readonly kind: 'forget';
  readonly resource: string;
}

/** An operation on the record that belongs to a resource, which is on the node under a key of its own. */
export type RecordOperation = OpenOperation | SettleOperation | PeekOperation | ClearOperation | ForgetOperation;

export type Operation = AcquireOperation | ReleaseOperation | ExtendOperation | RaiseOperation | RecordOperation;

/** A vote. */
export interface Granted {
  readonly kind: 'granted';
  /** The first of the fencing tokens that the vote took. */
  readonly token: number;
  /** When the oldest process that waits behind this vote came; undefined if no other process waits. */
  readonly oldest?: number | undefined;
  /** Whether the vote has opened the record, under the proposed token. */
  readonly isOpened?: boolean | undefined;
}

export interface Held {
  readonly kind: 'held';
  /** Ms until the lease of the holder ends on this node; Infinity if the key never expires. */
  readonly remaining: number;
  /** The value of the holder. */
  readonly owner: string;
}

/** An attempt that has opened the key of a record. */
export interface Mark {
  readonly token: number;
  readonly value: string;
  readonly fingerprint: string | null;
}

/** A record that stands on a node, and the attempt that has settled it. */
export interface Found extends Mark {
  readonly record: string;
  /** Ms until the node forgets it. */
  readonly remaining: number;
}

/** A promise. */
export interface Opened {
  readonly kind: 'opened';
  /** How many attempts have opened the key since there was nothing, with this one. */
  readonly attempts: number;
  /** The attempt before this one, which has neither settled nor cleared. */
  readonly before?: Mark | undefined;
  readonly found?: Found | undefined;
  /** True if the node does not vote, so that the promise counts for nothing. Such a node answers this only if a record stands. */
  readonly isQuarantined?: boolean | undefined;
}

/** What stands under the key of a record. */
export interface Peeked {
  readonly kind: 'peeked';
  /** The attempt with the greatest promise; undefined if a record stands. */
  readonly running?: Mark | undefined;
  readonly found?: Found | undefined;
  readonly attempts: number;
  /** Ms since the latest attempt has opened the key. */
  readonly age: number;
  /** Ms until the node forgets what stands. */
  readonly remaining: number;
}

/** The node does not vote, because it may have forgotten locks that are still held. */
export interface Quarantined {
  readonly kind: 'quarantined';
  /** Ms until the node votes again. */
  readonly remaining: number;
}

/** The node answered that it does not execute the operation. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: string;
}

/** There is no usable answer, because of an error, a closed connection or silence. It must never be read as "held". */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
  /** False only if the operation provably never left this process. */
  readonly sent: boolean;
}

export type Answer =
  | Granted
  | Held
  | Quarantined
  | Refused
  | Unknown
  | Opened
  | Peeked
  | { readonly kind: 'recorded' | 'settled' | 'superseded' | 'nothing' | 'cleared' | 'forgotten' }
  | { readonly kind: 'released' | 'gone' | 'extended' | 'missing' | 'taken' | 'raised' };

/** What a node says when it voted for the deposit of a waiting process. */
export interface HandOff {
  readonly resource: string;
  readonly value: string;
  readonly token: number;
  /** @see Granted.oldest */
  readonly oldest?: number | undefined;
}

/** What a node has for records. */
export interface NodeRoom {
  /** The share of its memory that is used; 0 if the node has no limit. */
  readonly used: number;
  /** Whether the node writes what it has to a file (AOF), so that a restart forgets nothing. */
  readonly isOnDisk: boolean;
}

export type ProbeAnswer =
  { readonly kind: 'up' } | { readonly kind: 'excluded'; readonly reason: string } | Refused | Quarantined | Unknown;

export type NodeEvent =
  | { readonly type: 'node-up' }
  | { readonly type: 'node-down'; readonly reason: string }
  | { readonly type: 'hand-off-unavailable'; readonly reason: string }
  /** The node does not vote for `remaining` ms, because it may have forgotten locks that are still held. */
  | { readonly type: 'node-quarantined'; readonly reason: string; readonly remaining: number }
  | { readonly type: 'node-trusted' }
  | { readonly type: 'node-refused'; readonly reason: string }
  | { readonly type: 'node-accepted' }
  | { readonly type: 'node-warning'; readonly reason: string };

/** What a node tells the pool. */
export interface NodeListener {
  event(event: NodeEvent): void;
  /** Called before anything is asked over a new connection: `runId` then says which server it leads to. */
  identified(): void;
  handedOff(message: HandOff): void;
  /** The clock of the node (microseconds) as an answer told it, between two readings of our monotonic clock. */
  dated(micros: number, asked: number, heard: number): void;
}

/**
 * One independent master as the engine sees it.
 *
 * Batches reach the node in the order of the calls. Each is answered once, after the call has returned, and never by an exception: by one answer for
 * each operation, or by one `Unknown` for all. An answer may come late: the pool has a timeout of its own.
 */
export interface LockNode {
  /** The name of this node in errors and events; it contains no password. */
  readonly name: string;
  /** Identifies the server, once it is known: no two servers have the same id. */
  readonly runId?: string | undefined;
  send(operations: readonly Operation[], answered: (answers: readonly Answer[] | Unknown) => void): void;
  /** Excludes the node for this reason: it is asked nothing more. `undefined` ends that. */
  exclude?(reason: string | undefined): void;
  /** Finds out whether the node would vote for a token of this date; leaves nothing behind on the node. */
  probe(answered: (answer: ProbeAnswer) => void, date?: number): void;
  /** Tells what room the node has for records, if it can be asked. */
  room?(told: (room: NodeRoom) => void): void;
  /** Starts to connect; resolves once the node is connected or the first try has failed, and never rejects. */
  open(listener: NodeListener): Promise<void>;
  /** Settles what is unanswered and closes the connection. */
  close(): Promise<void>;
}

/** Returns the value of the attempt that follows: nodes know it without being told. */
export function nextValueOf(value: string): string {
  const dot = value.lastIndexOf('.');
  return `${value.slice(0, dot + 1)}${Number(value.slice(dot + 1)) + 1}`;
}
