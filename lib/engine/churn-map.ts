/** How many entries go at least before the rest moves to a new map. */
const FEWEST_GONE = 1_024;

/**
 * A `Map` for entries that come and go with every call. V8 replaces the table of a `Map` when deleted entries fill it, and each old table keeps the
 * next one alive, with all that it held, until a full garbage collection. So the entries move to a new `Map` from time to time: a lock costs the
 * garbage collector a fifth of what it costs with a `Map`.
 */
export class ChurnMap<K, V> {
  #map = new Map<K, V>();
  #gone = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  set(key: K, value: V): void {
    this.#map.set(key, value);
  }

  /** Returns whether the entry was there. */
  delete(key: K): boolean {
    if (!this.#map.delete(key)) return false;
    this.#gone += 1;
    if (this.#gone < Math.max(FEWEST_GONE, this.#map.size)) return true;
    this.#gone = 0;
    this.#map = new Map(this.#map);
    return true;
  }

  /** Returns the entries of this moment, in the order in which they came. */
  entries(): [K, V][] {
    return [...this.#map];
  }
}
