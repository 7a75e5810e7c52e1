import type { NodeRoom } from './lock-node.js';
import type { Pool } from './pool.js';

/** Ms between two questions. */
const ASK_AGAIN_AFTER = 10_000;
/** Ms for which an answer counts: a node may die while it is full. */
const KNOWN_FOR = 30_000;
/** The share of its memory from which a node counts as full: the rest is for locks. */
const FULL_FROM = 0.7;
/** Ms for which a record may be kept in memory only, without a warning. */
const LONG = 3_600_000;

/** Knows how much room the nodes have for records, as long as somebody asks. */
export class NodeMemory {
  /** Called once for each node that is to keep records for long, and has them in memory only. */
  forgetful: (node: string) => void = () => undefined;
  /** Full nodes, and ms when they said so. */
  readonly #full = new Map<string, number>();
  readonly #warned = new Set<string>();
  #askedAt = -Infinity;
  #longest = 0;

  constructor(private readonly pool: Pool) {}

  /** Whether a node was nearly full when it was asked last. */
  get isFull(): boolean {
    const now = this.pool.clock.now().monotonic;
    return [...this.#full.values()].some((since) => now - since < KNOWN_FOR);
  }

  /** Asks the nodes, unless they were asked lately; `keep` is how many ms a record is to last. */
  ask(keep: number): void {
    this.#longest = Math.max(this.#longest, keep);
    const now = this.pool.clock.now().monotonic;
    if (now - this.#askedAt < ASK_AGAIN_AFTER) return;
    this.#askedAt = now;
    for (const node of this.pool.nodes) node.room?.((room) => this.#note(node.name, room));
  }

  #note(node: string, room: NodeRoom): void {
    if (room.used < FULL_FROM) this.#full.delete(node);
    else this.#full.set(node, this.pool.clock.now().monotonic);
    if (room.isOnDisk || this.#longest <= LONG || this.#warned.has(node)) return;
    this.#warned.add(node);
    this.forgetful(node);
  }
}
