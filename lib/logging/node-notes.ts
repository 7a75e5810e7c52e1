import type { Logger } from '@nestjs/common';
import type { Clock } from '../core/time/clock.js';

/** Ms for which what is said of several nodes in the same words is gathered. */
const GATHERED_FOR = 500;

interface NodeNotesTerms {
  readonly clock: Clock;
  /** How many nodes the pool has. */
  readonly nodes: number;
}

/** What the log says of single nodes that is often the same for all of them, as a right that is missing: one line for all at once. */
export class NodeNotes {
  /** By words, the nodes of which they were not said yet. */
  readonly #untold = new Map<string, string[]>();
  #stopTimer: (() => void) | undefined;
  #isStopped = false;

  constructor(
    private readonly logger: Pick<Logger, 'warn'>,
    private readonly terms: NodeNotesTerms,
  ) {}

  /** Takes what follows the name of the node in a line. */
  add(node: string, words: string): void {
    if (this.#isStopped) return;
    const nodes = this.#untold.get(words) ?? [];
    if (!nodes.includes(node)) this.#untold.set(words, [...nodes, node]);
    this.#stopTimer ??= this.terms.clock.schedule(GATHERED_FOR, () => this.tellAll());
  }

  /** What is not said yet is said, nothing more is, and no timer is left. */
  stop(): void {
    this.tellAll();
    this.#isStopped = true;
  }

  /** Says at once what is not said yet. */
  tellAll(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (const [words, nodes] of this.#untold) this.logger.warn(`${this.#nameOf(nodes)}${words}`);
    this.#untold.clear();
  }

  #nameOf(nodes: readonly string[]): string {
    if (nodes.length === 1) return nodes[0]!;
    return nodes.length === this.terms.nodes ? `each of the ${nodes.length} nodes` : `each of ${nodes.join(', ')}`;
  }
}
