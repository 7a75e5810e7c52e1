import type { LockNode } from '../port/lock-node.js';

/**
 * Two addresses may lead to one server, which must not vote twice.
 * @throws TypeError that names both
 */
export function refuseDuplicateServers(nodes: readonly LockNode[]): void {
  const known = new Map<string, LockNode>();
  for (const node of nodes) {
    const twin = node.runId === undefined ? undefined : known.get(node.runId);
    if (twin) {
      throw new TypeError(
        `nodes holds ${twin.name} and ${node.name}, which are one server: it must not vote twice, name each node once`,
      );
    }
    if (node.runId !== undefined) known.set(node.runId, node);
  }
}

/** Told why a node is barred from the vote. */
export type BarListener = (node: LockNode, reason: string) => void;

/**
 * Two addresses may come to lead to one server later, by a failover, a name that changed or a proxy: who came to it first goes on
 * voting, and the others are barred for as long as that lasts.
 */
export class DuplicateServers {
  /** By node, in the order in which they came to the servers at which they are. */
  readonly #runs = new Map<LockNode, string>();
  readonly #barred = new Map<LockNode, string>();

  constructor(private readonly warn: BarListener) {}

  /** Takes note of which server a node leads to, as far as that is known. */
  note(node: LockNode): void {
    const { runId } = node;
    if (runId === this.#runs.get(node)) return;
    this.#runs.delete(node);
    if (runId === undefined) this.#bar(node, undefined);
    else this.#runs.set(node, runId);
    const first = new Map<string, LockNode>();
    for (const [one, run] of this.#runs) {
      const voter = first.get(run);
      if (voter === undefined) first.set(run, one);
      this.#bar(one, voter && `it leads to the same server as ${voter.name}, which must not vote twice`);
    }
  }

  #bar(node: LockNode, reason: string | undefined): void {
    if (reason === this.#barred.get(node)) return;
    if (reason === undefined) this.#barred.delete(node);
    else this.#barred.set(node, reason);
    node.bar?.(reason);
    if (reason !== undefined) this.warn(node, reason);
  }
}
