/** Something that happens at a point of virtual time. */
export interface Event {
  readonly at: number;
  /** Of what happens at the same time, the lower comes first; then the one that was planned first. */
  readonly rank: number;
  readonly order: number;
  /** Undefined once it was taken back. */
  run: (() => void) | undefined;
}

/** What is still to happen, the next first: a binary heap. */
export class EventQueue {
  readonly #heap: Event[] = [];
  #orders = 0;

  get next(): Event | undefined {
    return this.#heap[0];
  }

  add(at: number, rank: number, run: () => void): Event {
    const event = { at, rank, order: (this.#orders += 1), run };
    this.#heap.push(event);
    this.#rise(this.#heap.length - 1);
    return event;
  }

  take(): Event | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (this.#heap.length > 0) {
      this.#heap[0] = last!;
      this.#sink(0);
    }
    return first;
  }

  #rise(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (isBefore(this.#heap[parent]!, this.#heap[index]!)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(start: number): void {
    let index = start;
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let first = index;
      if (left < this.#heap.length && isBefore(this.#heap[left]!, this.#heap[first]!)) first = left;
      if (right < this.#heap.length && isBefore(this.#heap[right]!, this.#heap[first]!)) first = right;
      if (first === index) return;
      this.#swap(index, first);
      index = first;
    }
  }

  #swap(a: number, b: number): void {
    const kept = this.#heap[a]!;
    this.#heap[a] = this.#heap[b]!;
    this.#heap[b] = kept;
  }
}

function isBefore(a: Event, b: Event): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.rank === b.rank ? a.order < b.order : a.rank < b.rank;
}
