/** The phase of one attempt to take the lock; one that insists asks as well, and gives no vote back, or has done so. */
export const PHASE = { asking: 0, holding: 1, over: 2, insisting: 3 } as const;
/**
 * What has become of one attempt's question on one node: one that waits stands in its line; one that is leaving has its
 * vote, and a command that gives it back is under way; a vote that was given back by an attempt that is over is none.
 */
export const VOTE = { underWay: 0, granted: 1, none: 2, waiting: 3, leaving: 4 } as const;
/** No command that lifts the counter was sent, or none is under way any more; else it is the token, which is above this. */
export const RAISE = { unsent: 0, done: 1 } as const;

/** Everything that there is in the small world of the exploration, as small numbers. */
export class State {
  constructor(
    readonly nodes: number,
    readonly attempts: number,
    readonly cells: Uint8Array,
  ) {}

  /** No attempt has been answered; so many of the attempts may give a vote back, once each. */
  static initial(counters: readonly number[], attempts: number, returning = 0): State {
    const nodes = counters.length;
    const state = new State(nodes, attempts, new Uint8Array(nodes + 1 + attempts * (1 + 3 * nodes)));
    state.cells.set(counters);
    for (let attempt = returning; attempt < attempts; attempt += 1) state.cells[state.phase(attempt)] = PHASE.insisting;
    return state;
  }

  /** The greatest token that any attempt held with. */
  get latest(): number {
    return this.nodes;
  }

  counter(node: number): number {
    return node;
  }

  phase(attempt: number): number {
    return this.nodes + 1 + attempt * (1 + 3 * this.nodes);
  }

  vote(attempt: number, node: number): number {
    return this.phase(attempt) + 1 + 3 * node;
  }

  /** The counter of the node with the vote. */
  fence(attempt: number, node: number): number {
    return this.vote(attempt, node) + 1;
  }

  /** A token to which the counter is to be lifted, above `RAISE`. */
  raise(attempt: number, node: number): number {
    return this.vote(attempt, node) + 2;
  }

  /** The value of a cell. */
  at(cell: number): number {
    return this.cells[cell]!;
  }

  /** The same with some cells changed. */
  with(...changes: readonly (readonly [cell: number, value: number])[]): State {
    const cells = this.cells.slice();
    for (const [cell, value] of changes) cells[cell] = value;
    return new State(this.nodes, this.attempts, cells);
  }

  owner(node: number): number | undefined {
    for (let attempt = 0; attempt < this.attempts; attempt += 1) {
      if (this.has(attempt, node)) return attempt;
    }
    return undefined;
  }

  /** Whether the node is not free, since it gave this attempt its vote. */
  has(attempt: number, node: number): boolean {
    const vote = this.at(this.vote(attempt, node));
    return vote === VOTE.granted || vote === VOTE.leaving;
  }

  /** Whether an attempt may still come to hold. */
  asks(attempt: number): boolean {
    const phase = this.at(this.phase(attempt));
    return phase === PHASE.asking || phase === PHASE.insisting;
  }

  /** Whether any attempt may. */
  get isOpen(): boolean {
    for (let attempt = 0; attempt < this.attempts; attempt += 1) if (this.asks(attempt)) return true;
    return false;
  }
}

export function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
