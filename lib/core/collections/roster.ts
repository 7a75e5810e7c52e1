/** An entry that a roster finds without a search. */
export interface Entry {
  /** The index of the entry in its roster; -1 while it is in none. */
  rosterIndex: number;
}

/** A set that adds and deletes in constant time. It is an array, because a `Set` that changes this often keeps garbage alive in V8. */
export class Roster<T extends Entry> {
  readonly #entries: T[] = [];

  get size(): number {
    return this.#entries.length;
  }

  get all(): readonly T[] {
    return [...this.#entries];
  }

  add(entry: T): void {
    entry.rosterIndex = this.#entries.push(entry) - 1;
  }

  delete(entry: Entry): void {
    const { rosterIndex } = entry;
    if (rosterIndex === -1) return;
    const last = this.#entries.pop()!;
    entry.rosterIndex = -1;
    if (last === entry) return;
    this.#entries[rosterIndex] = last;
    last.rosterIndex = rosterIndex;
  }
}
