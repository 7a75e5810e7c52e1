/** Ranks drawn so that the nth is drawn 1/n times as often as the first (Zipf, exponent 1); the seed decides the whole course. */
export class Zipf {
  #upTo;
  #state;

  /** @param {number} ranks @param {number} seed */
  constructor(ranks, seed) {
    let sum = 0;
    this.#upTo = Float64Array.from({ length: ranks }, (_, rank) => (sum += 1 / (rank + 1)));
    this.#state = seed >>> 0;
  }

  /** @returns {number} from 0 on */
  next() {
    const share = this.#fraction() * Number(this.#upTo.at(-1));
    let [low, high] = [0, this.#upTo.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Number(this.#upTo[middle]) < share) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Mulberry32. */
  #fraction() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
