import { randomBytes, randomFillSync } from 'node:crypto';

/** The source of random values and delays; tests and simulations bring their own. */
export interface Random {
  /** Returns the value of a new owner: printable, and never given before (the Redis distributed-locks page). */
  value(): string;
  /** Returns a random number that is at least 0 and below 1. */
  fraction(): number;
}

/** Characters at the beginning of a value that are the same for all values of one process. */
export const PROCESS_MARK_LENGTH = 6;
/** Characters of base64 behind the mark of the process: 126 bits. */
const REST_LENGTH = 21;
const VALUES_PER_FILL = 1_024;

/** Returns the mark of a process, at random. */
export function newProcessMark(): string {
  return randomBytes(PROCESS_MARK_LENGTH).toString('base64url').slice(0, PROCESS_MARK_LENGTH);
}

/** Returns the mark of the process whose value this is; undefined for a value that no process of this library has made. */
export function processMarkOf(value: string): string | undefined {
  return value.length === PROCESS_MARK_LENGTH + REST_LENGTH && /^[\w-]+$/.test(value)
    ? value.slice(0, PROCESS_MARK_LENGTH)
    : undefined;
}

/** The randomness of the operating system, fetched for many values at a time. */
export class SystemRandom implements Random {
  // Every three bytes are four characters.
  readonly #bytes = Buffer.alloc((REST_LENGTH * VALUES_PER_FILL * 3) / 4);
  #characters = '';
  #next = 0;

  /** `processMark`: what all values begin with, so that an operator can tell whose they are. */
  constructor(readonly processMark = newProcessMark()) {}

  value(): string {
    if (this.#next === this.#characters.length) {
      this.#characters = randomFillSync(this.#bytes).toString('base64url');
      this.#next = 0;
    }
    const begin = this.#next;
    this.#next += REST_LENGTH;
    return this.processMark + this.#characters.slice(begin, this.#next);
  }

  fraction(): number {
    return Math.random();
  }
}
