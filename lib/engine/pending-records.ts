import type { Answer, ClearOperation, SettleOperation } from './lock-node.js';
import type { Pool } from './pool.js';

/** Ms until what a node has not confirmed is sent again; each further pause is twice as long. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;
/** Ms for which an operation is pending at most. */
const PENDING_FOR = 60_000;
/** How many operations a node gets in one call: their records are long. */
const MOST_AT_ONCE = 16;
/** How many operations, and characters of their records, are remembered. */
const MOST_PENDING = 1_000;
const MOST_CHARACTERS = 8_000_000;
/** The answers of a node that has done what it was asked, or need not do it any more. */
const DONE: readonly Answer['kind'][] = ['settled', 'superseded', 'quarantined', 'cleared', 'gone'];

type PendingOperation = SettleOperation | ClearOperation;

interface Pending {
  readonly operation: PendingOperation;
  /** The nodes that have not confirmed it. */
  readonly nodes: Set<number>;
  /** Ms on the monotonic clock: when the record ends, and when it is not sent any more. */
  readonly ends: number;
  readonly until: number;
}

/** Operations on records that a quorum has done, and that other nodes have not confirmed: with few copies, few nodes may fail. */
export class PendingRecords {
  /** The oldest comes first. */
  readonly #pending = new Set<Pending>();
  #characters = 0;
  #pause = FIRST_PAUSE;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(private readonly pool: Pool) {}

  /** Adds an operation for these nodes that began at `since`, ms on the monotonic clock. */
  add(operation: PendingOperation, nodes: readonly number[], since: number): void {
    if (this.#isClosed || nodes.length === 0) return;
    const ends = since + (operation.kind === 'settle' ? operation.ttl : PENDING_FOR);
    this.#pending.add({ operation, nodes: new Set(nodes), ends, until: Math.min(ends, since + PENDING_FOR) });
    this.#characters += sizeOf(operation);
    for (const pending of this.#pending) {
      if (this.#pending.size <= MOST_PENDING && this.#characters <= MOST_CHARACTERS) break;
      this.#drop(pending);
    }
    this.#pause = FIRST_PAUSE;
    this.#stopTimer ??= this.pool.clock.schedule(this.#pause, () => this.#again());
  }

  /** Drops all operations of a key. */
  forget(key: string): void {
    for (const pending of this.#pending) if (pending.operation.resource === key) this.#drop(pending);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
    this.#pending.clear();
  }

  #again(): void {
    this.#stopTimer = undefined;
    const now = this.#now;
    for (const pending of this.#pending) if (pending.until <= now || pending.nodes.size === 0) this.#drop(pending);
    if (this.#pending.size === 0) return;
    for (const node of this.pool.nodes.keys()) this.#flush(node);
    this.#pause = Math.min(LONGEST_PAUSE, 2 * this.#pause);
    this.#stopTimer = this.pool.clock.schedule(this.#pause, () => this.#again());
  }

  /** Sends a node some of its operations, and the next ones as soon as it has done these. */
  #flush(node: number): void {
    const now = this.#now;
    const pending = [...this.#pending]
      .filter(({ nodes, until }) => nodes.has(node) && until > now)
      .slice(0, MOST_AT_ONCE);
    if (pending.length === 0 || this.#isClosed) return;
    const operations = pending.map(({ operation, ends }) =>
      operation.kind === 'settle' ? { ...operation, ttl: ends - now } : operation,
    );
    this.pool.nodes[node]!.send(operations, (answers) => {
      if (!Array.isArray(answers)) return;
      pending.forEach(
        ({ nodes }, index) => DONE.includes((answers as readonly Answer[])[index]!.kind) && nodes.delete(node),
      );
      for (const one of pending) if (one.nodes.size === 0) this.#drop(one);
      if (pending.every(({ nodes }) => !nodes.has(node))) this.#flush(node);
    });
  }

  #drop(pending: Pending): void {
    if (this.#pending.delete(pending)) this.#characters -= sizeOf(pending.operation);
    if (this.#pending.size > 0) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  get #now(): number {
    return this.pool.clock.now().monotonic;
  }
}

function sizeOf(operation: PendingOperation): number {
  return operation.kind === 'settle' ? operation.record.length : 0;
}
