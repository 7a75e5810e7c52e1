import { nodeText } from './connection/wire/node-text.js';
import type { NodeEvent } from '../engine/lock-node.js';

/** How many warnings are remembered. */
const MOST_KEPT = 20;

/** Warns of each reason once, however often the node connects. */
export class Warnings {
  /** The oldest one comes first. */
  readonly #given = new Set<string>();

  constructor(private readonly link: { notify(event: NodeEvent): void }) {}

  give(words: string): void {
    const reason = nodeText(words);
    if (this.#given.has(reason)) return;
    this.#given.add(reason);
    const [oldest] = this.#given;
    if (this.#given.size > MOST_KEPT) this.#given.delete(oldest!);
    this.link.notify({ type: 'node-warning', reason });
  }
}
