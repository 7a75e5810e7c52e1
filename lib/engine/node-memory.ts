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
  /** By node: what it has told, and ms when. */
  readonly #rooms = new Map<string, { readonly room: NodeRoom; readonly at: number }>();
  readonly #warned = new Set<string>();
  #askedAt = -Infinity;
  #longest = 0;

  constructor(private readonly pool: Pool) {}

  /** Whether a node was nearly full when it was asked last. */
  get isFull(): boolean {
    const now = this.#now;
    return [...this.#rooms.values()].some(({ room, at }) => room.used >= FULL_FROM && now - at < KNOWN_FOR);
  }

  /** Asks the nodes, unless they were asked lately; `keep` is how many ms a record is to last, if that is known. */
  ask(keep: number): void {
    if (keep > this.#longest) {
      this.#longest = keep;
      for (const [node, { room }] of this.#rooms) this.#warnIfForgetful(node, room);
    }
    const at = this.#now;
    if (at - this.#askedAt < ASK_AGAIN_AFTER) return;
    this.#askedAt = at;
    for (const node of this.pool.nodes)
      node.room?.((room) => {
        this.#rooms.set(node.name, { room, at: this.#now });
        this.#warnIfForgetful(node.name, room);
      });
  }

  get #now(): number {
    return this.pool.clock.now().monotonic;
  }

  #warnIfForgetful(node: string, { isOnDisk }: NodeRoom): void {
    if (isOnDisk || this.#longest <= LONG || this.#warned.has(node)) return;
    this.#warned.add(node);
    this.forgetful(node);
  }
}
