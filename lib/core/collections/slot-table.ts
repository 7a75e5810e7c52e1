import { hashOf } from './hash.js';

/** An entry that the table finds by its name. */
export interface Named {
  readonly name: string;
}

const SLOTS = 4_096;

/**
 * A hash table for entries that come and go with every lock. It does what a `Map` does.
 *
 * V8 rebuilds a long-lived `Map` after as many changes as the map has room for, and all entries of the former map then stay alive until the
 * next full collection. An array is never rebuilt. An entry whose slot is taken goes into a `Map`, so that no choice of names makes a search
 * long. A `Map` alone costs 17 % more processor time for each lock of 64 callers at once, and 13 % more for 256; the 99th percentile of the
 * duration grows by 10 to 39 %. To measure it, build the library with a `Map` in `CallerQueues`, and compare both builds:
 * `npm run bench -- --only alone --candidates ours --library <index.js>`.
 */
export class SlotTable<T extends Named> {
  readonly #slots: (T | undefined)[] = emptySlots();
  readonly #others = new Map<string, T>();

  get(name: string): T | undefined {
    const entry = this.#slots[slotOf(name)];
    return entry?.name === name ? entry : this.#others.get(name);
  }

  /** Adds an entry; there is at most one of each name at a time. */
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

/** Returns the empty slots. They are filled one by one, in a tenth of the time of `Array.from`, because every pool has a table. */
function emptySlots(): undefined[] {
  const slots: undefined[] = [];
  for (let slot = 0; slot < SLOTS; slot += 1) slots.push(undefined);
  return slots;
}

function slotOf(name: string): number {
  return hashOf(name) & (SLOTS - 1);
}
