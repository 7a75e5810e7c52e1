import type { Hold } from '../../chaos/record.js';
import { overlapsOf } from '../../chaos/check/exclusion.js';

/** The holders of a lock, and when they held it, as both kinds of client believe it. */
export class Holds {
  readonly #holds: Hold[] = [];

  begin(client: string, resource = 'r'): () => void {
    const from = performance.now();
    return () => {
      const to = performance.now();
      const id = String(this.#holds.length);
      this.#holds.push({ id, client, resource, token: 0, from, to, until: to, lost: undefined });
    };
  }

  count(client: string): number {
    return this.#holds.filter((hold) => hold.client === client).length;
  }

  /** How often two held a lock at once. */
  get overlaps(): number {
    return overlapsOf(this.#holds).length;
  }
}
