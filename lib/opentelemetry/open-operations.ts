import { monotonicNow } from '../engine/real-time.js';

/** The operations of one kind that have begun and not ended, counted by pool. */
export class OpenOperations<Message extends { readonly pool: string | undefined }> {
  readonly #began = new WeakMap<Message, number>();
  readonly #counts = new Map<string | undefined, number>();

  /** The pools that have had such an operation. */
  get pools(): Iterable<string | undefined> {
    return this.#counts.keys();
  }

  countOf(pool: string | undefined): number {
    return this.#counts.get(pool) ?? 0;
  }

  begin(message: Message): void {
    this.#began.set(message, monotonicNow());
    this.#count(message, 1);
  }

  /** Returns the ms since the operation began; undefined for an operation that began before it was observed. */
  end(message: Message): number | undefined {
    const began = this.#began.get(message);
    if (began === undefined) return undefined;
    this.#began.delete(message);
    this.#count(message, -1);
    return monotonicNow() - began;
  }

  #count({ pool }: Message, change: number): void {
    this.#counts.set(pool, this.countOf(pool) + change);
  }
}
