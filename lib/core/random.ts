import { randomFillSync } from 'node:crypto';

/** Where values and delays get their randomness from; tests and simulations bring their own. */
export interface Random {
  /** A new owner's mark: 20 random bytes, printable (the Redis distributed-locks page). */
  value(): string;
  /** At least 0, below 1. */
  fraction(): number;
}

const BYTES = 20;
const VALUES_PER_FILL = 256;

/** Randomness of the operating system, fetched for many values at a time. */
export class SystemRandom implements Random {
  readonly #pool = Buffer.alloc(BYTES * VALUES_PER_FILL);
  #next = this.#pool.length;

  value(): string {
    if (this.#next === this.#pool.length) {
      randomFillSync(this.#pool);
      this.#next = 0;
    }
    this.#next += BYTES;
    return this.#pool.toString('base64url', this.#next - BYTES, this.#next);
  }

  fraction(): number {
    return Math.random();
  }
}
