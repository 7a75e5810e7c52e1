import { randomFillSync } from 'node:crypto';

/** Where values and delays get their randomness from; tests and simulations bring their own. */
export interface Random {
  /** A new owner's mark: 20 random bytes, printable (the Redis distributed-locks page). */
  value(): string;
  /** At least 0, below 1. */
  fraction(): number;
}

/** Characters of base64: 162 bits. */
const VALUE_LENGTH = 27;
/** Bytes that make whole characters, one more of these than a value takes. */
const BYTES = 21;
const VALUES_PER_FILL = 1_024;

/** Randomness of the operating system, fetched for many values at a time. */
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
