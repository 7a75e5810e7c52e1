import type { NodeLink } from '../connection/node-link.js';

/** Warns of each reason once, however often the node connects. */
export class Warnings {
  readonly #given = new Set<string>();

  constructor(private readonly link: Pick<NodeLink, 'notify'>) {}

  give(reason: string): void {
    if (this.#given.has(reason)) return;
    this.#given.add(reason);
    this.link.notify({ type: 'node-warning', reason });
  }
}
