import type { Clock } from '../engine/clock.js';
import type { Coded } from '../engine/codes.js';
import type { Lines } from './safe-logger.js';

/** Ms for which messages are collected, so that the same words about several nodes become one line. */
const GATHERED_FOR = 500;

/** Logs messages that often concern several nodes alike, such as a missing permission, as one line for all of these nodes. */
export class NodeNotes {
  /** By message, the nodes for which it was not logged yet. */
  readonly #pending = new Map<Coded, string[]>();
  #stopTimer: (() => void) | undefined;
  #isStopped = false;

  constructor(
    private readonly logger: Pick<Lines, 'warn'>,
    private readonly clock: Clock,
    /** How many nodes the pool has. */
    private readonly nodes: number,
  ) {}

  /** Adds a message about a node: the words that follow the name of the node in the line. */
  add(node: string, words: Coded): void {
    if (this.#isStopped) return;
    const nodes = this.#pending.get(words) ?? [];
    if (!nodes.includes(node)) this.#pending.set(words, [...nodes, node]);
    this.#stopTimer ??= this.clock.schedule(GATHERED_FOR, () => this.logAll());
  }

  /** Logs what is still pending and ignores later messages, so that no timer is left. */
  stop(): void {
    this.logAll();
    this.#isStopped = true;
  }

  /** Logs at once what is still pending. */
  logAll(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (const [words, nodes] of this.#pending) this.logger.warn(`${this.#nameOf(nodes)}${words}`);
    this.#pending.clear();
  }

  #nameOf(nodes: readonly string[]): string {
    if (nodes.length === 1) return nodes[0]!;
    return nodes.length === this.nodes ? `each of the ${nodes.length} nodes` : `each of ${nodes.join(', ')}`;
  }
}
