import type { Claim } from '../../lib/core/claim.js';

/** The claims of one client that wait in the lines of one node. */
export class Grants {
  readonly #waiting = new Map<string, Claim>();

  expect(claim: Claim): void {
    this.#waiting.set(claim.value, claim);
  }

  forget(claim: Claim): void {
    this.#waiting.delete(claim.value);
  }

  find(value: string): Claim | undefined {
    return this.#waiting.get(value);
  }
}
