import type { LockEvent, LockListener } from '../api/events.js';
import { quorumOf } from './quorum.js';

/** Why a node gives no votes, by the event that says so; and by the one that says that it is over. */
const BEGINS: Readonly<Partial<Record<LockEvent['type'], string>>> = {
  'node-down': 'down',
  'node-quarantined': 'quarantined',
  'node-refused': 'refused',
};
const ENDS: Readonly<Partial<Record<LockEvent['type'], string>>> = {
  'node-up': 'down',
  'node-trusted': 'quarantined',
  'node-accepted': 'refused',
};

/** Tells once that too few nodes vote, and once that enough do again, by what is told of each of them. */
export class QuorumWatch {
  /** By node, why it gives no votes. */
  readonly #out = new Map<string, Set<string>>();
  #isOpen = false;
  #isLost = false;

  constructor(
    private readonly nodes: number,
    private readonly tell: LockListener,
  ) {}

  note(event: LockEvent): void {
    const [begins, ends] = [BEGINS[event.type], ENDS[event.type]];
    if (begins !== undefined && 'node' in event) this.#outOf(event.node).add(begins);
    else if (ends !== undefined && 'node' in event) this.#outOf(event.node).delete(ends);
    else return;
    if (this.#isOpen) this.#look();
  }

  /** Every node has answered, or failed, once: not before that is it known whether they are enough. */
  opened(): void {
    this.#isOpen = true;
    this.#look();
  }

  #look(): void {
    const [votes, quorum] = [
      this.nodes - [...this.#out.values()].filter(({ size }) => size > 0).length,
      quorumOf(this.nodes),
    ];
    if (votes < quorum === this.#isLost) return;
    this.#isLost = !this.#isLost;
    this.tell({ type: this.#isLost ? 'quorum-lost' : 'quorum-reached', votes, nodes: this.nodes, quorum });
  }

  #outOf(node: string): Set<string> {
    const reasons = this.#out.get(node) ?? new Set();
    this.#out.set(node, reasons);
    return reasons;
  }
}
