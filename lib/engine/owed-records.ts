import type { Answer, ClearOperation, SettleOperation } from './lock-node.js';
import type { Pool } from './pool.js';

/** Ms until what a node has not confirmed is sent again; each further pause is twice as long. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;
/** Ms for which anything is owed. */
const OWED_FOR = 60_000;
/** How many operations a node gets in one call: their records are long. */
const MOST_AT_ONCE = 16;
/** How many operations, and characters of their records, are remembered. */
const MOST_OWED = 1_000;
const MOST_CHARACTERS = 8_000_000;
/** The answers of a node that has done what it was asked, or need not do it any more. */
const DONE: readonly Answer['kind'][] = ['settled', 'superseded', 'quarantined', 'cleared', 'gone'];

type OwedOperation = SettleOperation | ClearOperation;

interface Owed {
  readonly operation: OwedOperation;
  /** The nodes that have not confirmed it. */
  readonly nodes: Set<number>;
  /** Ms on the monotonic clock: when the record ends, and when it is not sent any more. */
  readonly ends: number;
  readonly until: number;
}

/** What nodes could not be told of records that a quorum has: the fewer copies there are, the fewer nodes may forget. */
export class OwedRecords {
  /** The oldest comes first. */
  readonly #owed = new Set<Owed>();
  #characters = 0;
  #pause = FIRST_PAUSE;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(private readonly pool: Pool) {}

  /** Owes these nodes an operation that began at `since`, ms on the monotonic clock. */
  add(operation: OwedOperation, nodes: readonly number[], since: number): void {
    if (this.#isClosed || nodes.length === 0) return;
    const ends = since + (operation.kind === 'settle' ? operation.ttl : OWED_FOR);
    this.#owed.add({ operation, nodes: new Set(nodes), ends, until: Math.min(ends, since + OWED_FOR) });
    this.#characters += sizeOf(operation);
    for (const owed of this.#owed) {
      if (this.#owed.size <= MOST_OWED && this.#characters <= MOST_CHARACTERS) break;
      this.#drop(owed);
    }
    this.#pause = FIRST_PAUSE;
    this.#stopTimer ??= this.pool.clock.schedule(this.#pause, () => this.#again());
  }

  /** Nothing under this key is owed any more. */
  forget(key: string): void {
    for (const owed of this.#owed) if (owed.operation.resource === key) this.#drop(owed);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
    this.#owed.clear();
  }

  #again(): void {
    this.#stopTimer = undefined;
    const now = this.#now;
    for (const owed of this.#owed) if (owed.until <= now || owed.nodes.size === 0) this.#drop(owed);
    if (this.#owed.size === 0) return;
    for (const node of this.pool.nodes.keys()) this.#pay(node);
    this.#pause = Math.min(LONGEST_PAUSE, 2 * this.#pause);
    this.#stopTimer = this.pool.clock.schedule(this.#pause, () => this.#again());
  }

  /** Sends a node some of what it is owed, and the rest as soon as it has done that. */
  #pay(node: number): void {
    const now = this.#now;
    const owed = [...this.#owed].filter(({ nodes, until }) => nodes.has(node) && until > now).slice(0, MOST_AT_ONCE);
    if (owed.length === 0 || this.#isClosed) return;
    const operations = owed.map(({ operation, ends }) =>
      operation.kind === 'settle' ? { ...operation, ttl: ends - now } : operation,
    );
    this.pool.nodes[node]!.send(operations, (answers) => {
      if (!Array.isArray(answers)) return;
      owed.forEach(
        ({ nodes }, index) => DONE.includes((answers as readonly Answer[])[index]!.kind) && nodes.delete(node),
      );
      for (const one of owed) if (one.nodes.size === 0) this.#drop(one);
      if (owed.every(({ nodes }) => !nodes.has(node))) this.#pay(node);
    });
  }

  #drop(owed: Owed): void {
    if (this.#owed.delete(owed)) this.#characters -= sizeOf(owed.operation);
    if (this.#owed.size > 0) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  get #now(): number {
    return this.pool.clock.now().monotonic;
  }
}

function sizeOf(operation: OwedOperation): number {
  return operation.kind === 'settle' ? operation.record.length : 0;
}
