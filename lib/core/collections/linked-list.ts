/** An entry of a list, linked to its two neighbours; linked to itself while it is in no list. It is in one list at a time. */
export class Link<T> {
  list: LinkedList<T> | undefined;
  previous: Link<T> = this;
  next: Link<T> = this;

  constructor(readonly value: T | undefined) {}
}

/**
 * A list in order of arrival, from which any entry can be removed in constant time. It does what a `Set` does.
 *
 * It is for entries that come and go with every lock: V8 keeps the entries that were removed from a long-lived `Set` alive until the next full
 * collection, and finds the first entry of such a `Set` slowly. A `Set` in `Shutdown` and in `TimerQueue` costs 11 % more processor time for
 * each lock of 64 callers at once, and 6 % more for 256. To measure it, build the library with sets, and compare both builds:
 * `npm run bench -- --only alone --candidates ours --library <index.js>`.
 */
export class LinkedList<T> {
  /** The head of the ring: between the last entry and the first. */
  readonly #end = new Link<T>(undefined);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get first(): T | undefined {
    return this.#end.next.value;
  }

  get all(): readonly T[] {
    const values: T[] = [];
    for (let link = this.#end.next; link !== this.#end; link = link.next) values.push(link.value!);
    return values;
  }

  /** Adds an entry at the end; returns its link, by which it can be removed. */
  add(value: T): Link<T> {
    const link = new Link(value);
    this.append(link);
    return link;
  }

  /** Adds an entry at the end under a link that its owner keeps, and that is in no list. */
  append(link: Link<T>): void {
    link.list = this;
    link.previous = this.#end.previous;
    link.next = this.#end;
    link.previous.next = link;
    this.#end.previous = link;
    this.#length += 1;
  }

  /**
   * Removes an entry, if it is in this list, and clears its links. Otherwise a removed entry that has lived for long would keep every later
   * entry alive until the next full garbage collection.
   */
  remove(link: Link<T>): void {
    if (link.list !== this) return;
    link.previous.next = link.next;
    link.next.previous = link.previous;
    link.previous = link.next = link;
    link.list = undefined;
    this.#length -= 1;
  }

  /** Removes the first entry and returns it. */
  shift(): T | undefined {
    const { next } = this.#end;
    this.remove(next);
    return next.value;
  }
}
