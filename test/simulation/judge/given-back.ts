import { isRelease } from '../../../lib/redis/batch/verbs.js';
import { takes } from '../nodes/batch-run.js';
import type { SentBatch } from '../nodes/sent-batch.js';

/** Which values were given back on a node, and by a command of which order; later ones of a client have a greater one. */
export class GivenBack {
  /** By the channel of a client, then by the value: all clients have the same value for probes. */
  readonly #latest = new Map<string, Map<string, number>>();

  /** Takes note of what a batch gives back; returns what it asks for that was given back since it was asked for, and must not come now. */
  lateIn({ operations, terms: { order } }: SentBatch): string | undefined {
    for (const operation of operations) {
      const { value, channel } = operation.claim;
      const ofClient = this.#of(channel);
      const latest = ofClient.get(value) ?? 0;
      if (isRelease(operation.verb)) ofClient.set(value, Math.max(order, latest));
      if (takes(operation) && order < latest) return value;
    }
    return undefined;
  }

  #of(channel: string): Map<string, number> {
    const known = this.#latest.get(channel);
    if (known) return known;
    const values = new Map<string, number>();
    this.#latest.set(channel, values);
    return values;
  }
}
