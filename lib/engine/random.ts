import { randomBytes } from 'node:crypto';

/** The source of randomness; tests and simulations bring their own. */
export interface Random {
  /** Returns a printable text that was never given before, without spaces and dots. */
  id(): string;
  /** Returns a random number that is at least 0 and below 1. */
  fraction(): number;
}

/** The randomness of the operating system. */
export const systemRandom: Random = {
  id: () => randomBytes(12).toString('base64url'),
  fraction: () => Math.random(),
};
