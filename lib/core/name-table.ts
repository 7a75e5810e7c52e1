import { hashOf } from './hash.js';

/** Something that a table finds by its name. */
export interface Named {
  readonly name: string;
}

const SLOTS = 4_096;

/**
 * Finds by name what comes and goes with every lock. V8 moves a map that lives long to its old generation, rebuilds it there
 * whenever so many entries have come and gone as it has room for, and what the former one held stays alive until the next full
 * collection; an array stays as it is. Only what finds its slot taken is in a map, so that no choice of names makes a search long.
 */
export class NameTable<T extends Named> {
  readonly #slots: (T | undefined)[] = emptySlots();
  readonly #others = new Map<string, T>();

  get(name: string): T | undefined {
    const entry = this.#slots[slotOf(name)];
    return entry?.name === name ? entry : this.#others.get(name);
  }

  /** Of each name there is one entry at a time. */
  add(entry: T): void {
    const slot = slotOf(entry.name);
    if (this.#slots[slot] === undefined) this.#slots[slot] = entry;
    else this.#others.set(entry.name, entry);
  }

  delete(entry: T): void {
    const slot = slotOf(entry.name);
    if (this.#slots[slot] === entry) this.#slots[slot] = undefined;
    else if (this.#others.get(entry.name) === entry) this.#others.delete(entry.name);
  }
}

/** One after the other, which takes a tenth of the time of `Array.from`: every pool has a table. */
function emptySlots(): undefined[] {
  const slots: undefined[] = [];
  for (let slot = 0; slot < SLOTS; slot += 1) slots.push(undefined);
  return slots;
}

function slotOf(name: string): number {
  return hashOf(name) & (SLOTS - 1);
}
