import { SeededRandom } from '../support/seeded-random.js';

/** Everything that is left to chance, repeated by a seed. */
export class Dice {
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  chance(share: number): boolean {
    return this.#random.fraction() < share;
  }

  between(from: number, to: number): number {
    return from + this.#random.fraction() * (to - from);
  }

  /** A whole number below `count`. */
  below(count: number): number {
    return Math.floor(this.#random.fraction() * count);
  }

  pick<T>(items: readonly T[]): T {
    const picked = items[this.below(items.length)];
    if (picked === undefined) throw new RangeError('there is nothing to pick from');
    return picked;
  }

  /** So many of them, in any order. */
  some<T>(count: number, items: readonly T[]): T[] {
    const left = [...items];
    return Array.from({ length: Math.min(count, items.length) }, () => left.splice(this.below(left.length), 1)).flat();
  }
}
