/** One entry of a queue, linked to its two neighbours; linked to itself while it is in no queue. */
class Link<T> {
  previous: Link<T> = this;
  next: Link<T> = this;

  constructor(readonly value: T | undefined) {}

  get isAlone(): boolean {
    return this.next === this;
  }

  /**
   * Removes the entry and clears its links. Otherwise a removed entry that has lived for long would keep every later entry alive until the
   * next full garbage collection.
   */
  leave(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this.next = this;
  }
}

/** A queue in order of arrival, from which any entry can be removed in constant time. It is a ring: a `Set` finds its first entry slowly. */
export class Queue<T> {
  /** The head of the ring: between the last entry and the first. */
  readonly #end = new Link<T>(undefined);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get first(): T | undefined {
    return this.#end.next.value;
  }

  /** Adds an entry at the end; returns the function that removes it. */
  add(value: T): () => void {
    const link = new Link(value);
    link.previous = this.#end.previous;
    link.next = this.#end;
    link.previous.next = link;
    this.#end.previous = link;
    this.#length += 1;
    return () => this.#remove(link);
  }

  /** Removes the first entry and returns it. */
  shift(): T | undefined {
    const { next } = this.#end;
    this.#remove(next);
    return next.value;
  }

  /** Visits every entry in order; an entry may be removed during its visit. */
  forEach(visit: (value: T) => void): void {
    for (let link = this.#end.next; link !== this.#end;) {
      const { next, value } = link;
      visit(value!);
      link = next;
    }
  }

  #remove(link: Link<T>): void {
    if (link.isAlone) return;
    link.leave();
    this.#length -= 1;
  }
}
