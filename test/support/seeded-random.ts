import type { Random } from '../../lib/engine/random.js';

/** Values that tell their origin, and fractions that a seed repeats. */
export class SeededRandom implements Random {
  #values = 0;
  #state: number;

  constructor(
    private readonly seed = 1,
    private readonly owner = `owner-${seed}`,
  ) {
    this.#state = this.seed;
  }

  id(): string {
    this.#values += 1;
    return `${this.owner}/${this.#values}`;
  }

  /** Mulberry32. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
