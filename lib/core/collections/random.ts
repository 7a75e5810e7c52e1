import { randomFillSync } from 'node:crypto';

/** The source of random values and delays; tests and simulations bring their own. */
export interface Random {
  /** Returns the value of a new owner: 20 random bytes, printable (the Redis distributed-locks page). */
  value(): string;
  /** Returns a random number that is at least 0 and below 1. */
  fraction(): number;
}

/** Characters of base64 in a value: 162 bits. */
const VALUE_LENGTH = 27;
/** Bytes for one value: they make 28 whole characters of base64, one more than a value takes. */
const BYTES = 21;
const VALUES_PER_FILL = 1_024;

/** The randomness of the operating system, fetched for many values at a time. */
export class SystemRandom implements Random {
  readonly #bytes = Buffer.alloc(BYTES * VALUES_PER_FILL);
  #characters = '';
  #next = 0;

  value(): string {
    if (this.#next === this.#characters.length) {
      this.#characters = randomFillSync(this.#bytes).toString('base64url');
      this.#next = 0;
    }
    const value = this.#characters.slice(this.#next, this.#next + VALUE_LENGTH);
    this.#next += VALUE_LENGTH + 1;
    return value;
  }

  fraction(): number {
    return Math.random();
  }
}
