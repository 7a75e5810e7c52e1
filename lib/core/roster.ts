/** Something that a roster can find without a search. */
export interface Entry {
  /** Its place in the roster; -1 where it is in none. */
  place: number;
}

/** Keeps those who are there. An array, since a set that changes this often keeps garbage alive in V8. */
export class Roster<T extends Entry> {
  readonly #entries: T[] = [];

  get size(): number {
    return this.#entries.length;
  }

  get all(): readonly T[] {
    return [...this.#entries];
  }

  add(entry: T): void {
    entry.place = this.#entries.push(entry) - 1;
  }

  delete(entry: T): void {
    const { place } = entry;
    if (place === -1) return;
    const last = this.#entries.pop()!;
    entry.place = -1;
    if (last === entry) return;
    this.#entries[place] = last;
    last.place = place;
  }
}
