/** Where one attempt to take the lock stands. */
export const PHASE = { asking: 0, holding: 1, over: 2 } as const;
/** What has become of one attempt's question on one node. */
export const VOTE = { underWay: 0, granted: 1, denied: 2, ended: 3 } as const;
/** No command that lifts the counter is under way, or not any more; else it is the token, which is above this. */
export const RAISE = { none: 0, done: 1 } as const;

/** Everything that there is in the small world of the exploration, as numbers, so that states can be told apart quickly. */
export class State {
  constructor(
    readonly nodes: number,
    readonly attempts: number,
    readonly cells: readonly number[],
  ) {}

  static initial(counters: readonly number[], attempts: number): State {
    const perNode = 3 * attempts * counters.length;
    return new State(counters.length, attempts, [...counters, 0, ...Array<number>(attempts + perNode).fill(0)]);
  }

  get key(): string {
    return String.fromCharCode(...this.cells);
  }

  /** The greatest token that anybody held with. */
  get latest(): number {
    return this.nodes;
  }

  counter(node: number): number {
    return node;
  }

  phase(attempt: number): number {
    return this.nodes + 1 + attempt;
  }

  vote(attempt: number, node: number): number {
    return this.#perNode(0, attempt, node);
  }

  /** The counter of the node with the vote. */
  fence(attempt: number, node: number): number {
    return this.#perNode(1, attempt, node);
  }

  /** A token to which the counter is to be lifted, above `RAISE`. */
  raise(attempt: number, node: number): number {
    return this.#perNode(2, attempt, node);
  }

  /** The value of a cell. */
  at(cell: number): number {
    return this.cells[cell]!;
  }

  /** The same with some cells changed. */
  with(...changes: readonly (readonly [cell: number, value: number])[]): State {
    const cells = [...this.cells];
    for (const [cell, value] of changes) cells[cell] = value;
    return new State(this.nodes, this.attempts, cells);
  }

  owner(node: number): number | undefined {
    for (let attempt = 0; attempt < this.attempts; attempt += 1) {
      if (this.at(this.vote(attempt, node)) === VOTE.granted) return attempt;
    }
    return undefined;
  }

  granted(attempt: number): number[] {
    return range(this.nodes).filter((node) => this.at(this.vote(attempt, node)) === VOTE.granted);
  }

  #perNode(kind: number, attempt: number, node: number): number {
    return this.nodes + 1 + this.attempts + (kind * this.attempts + attempt) * this.nodes + node;
  }
}

export function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
