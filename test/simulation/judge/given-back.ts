import { isRelease } from '../../../lib/redis/batch/verbs.js';
import { takes } from '../nodes/batch-run.js';
import type { SentBatch } from '../nodes/sent-batch.js';

/** Which values were given back on a node, and by a command of which order; later ones of a client have a greater one. */
export class GivenBack {
  readonly #latest = new Map<string, number>();

  /** Takes note of what a batch gives back; returns what it asks for that was given back since it was asked for, and must not come now. */
  lateIn({ operations, terms: { order } }: SentBatch): string | undefined {
    for (const operation of operations) {
      const { value, channel } = operation.claim;
      // All clients have the same value for probes.
      const name = `${channel} ${value}`;
      const latest = this.#latest.get(name) ?? 0;
      if (isRelease(operation.verb)) this.#latest.set(name, Math.max(order, latest));
      if (takes(operation) && order < latest) return value;
    }
    return undefined;
  }
}
