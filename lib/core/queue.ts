/** Somebody in a queue between two others; alone in a ring of its own while in none. */
class Link<T> {
  previous: Link<T> = this;
  next: Link<T> = this;

  constructor(readonly value: T | undefined) {}

  get isAlone(): boolean {
    return this.next === this;
  }

  /** Who has left leads to nobody: else one that V8 counts among its old ones would keep all alive who came after it. */
  leave(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this.next = this;
  }
}

/**
 * Those who wait, in the order in which they came; anybody may leave, in constant time. A ring, since a set that changes with every
 * lock keeps those alive in V8 who have left it.
 */
export class Queue<T> {
  /** Stands between the last and the first. */
  readonly #end = new Link<T>(undefined);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get first(): T | undefined {
    return this.#end.next.value;
  }

  /** Comes last; leaves by what this returns. */
  add(value: T): () => void {
    const link = new Link(value);
    link.previous = this.#end.previous;
    link.next = this.#end;
    link.previous.next = link;
    this.#end.previous = link;
    this.#length += 1;
    return () => this.#remove(link);
  }

  /** Lets the first one leave, and returns it. */
  shift(): T | undefined {
    const { next } = this.#end;
    this.#remove(next);
    return next.value;
  }

  /** Each of them, in order, who may leave meanwhile. */
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
