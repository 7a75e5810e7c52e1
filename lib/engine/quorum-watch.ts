import type { LockEvent, LockListener } from './events.js';
import { quorumOf } from './pool.js';

/** Why a node does not vote, by the type of the event: `BEGINS` when the reason begins, `ENDS` when it is over. */
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

/** Emits one event when too few nodes vote, and one when enough nodes vote again; works it out from the events of the single nodes. */
export class QuorumWatch {
  /** By node name: the reasons why the node does not vote. */
  readonly #out = new Map<string, Set<string>>();
  #isOpen = false;
  #isLost = false;

  constructor(
    private readonly nodes: number,
    private readonly notify: LockListener,
  ) {}

  note(event: LockEvent): void {
    const [begins, ends] = [BEGINS[event.type], ENDS[event.type]];
    if (begins !== undefined && 'node' in event) this.#outOf(event.node).add(begins);
    else if (ends !== undefined && 'node' in event) this.#outOf(event.node).delete(ends);
    else return;
    if (this.#isOpen) this.#look();
  }

  /** Begins to emit events. To be called once every node has answered or failed once: before that it is unknown whether there is a quorum. */
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
    this.notify({ type: this.#isLost ? 'quorum-lost' : 'quorum-reached', votes, nodes: this.nodes, quorum });
  }

  #outOf(node: string): Set<string> {
    const reasons = this.#out.get(node) ?? new Set();
    this.#out.set(node, reasons);
    return reasons;
  }
}
