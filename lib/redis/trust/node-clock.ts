import type { Moment } from '../../core/time/clock.js';
import type { Bounds } from '../../core/port/lock-node.js';

/** Ms by which clocks may disagree for other reasons than a step. */
const NOISE = 250;
/** The share by which clocks may run at different rates. */
const DRIFT = 0.01;

/** Between which two values the distance of the node's clock from one of ours must lie. */
class Distance implements Bounds {
  least = -Infinity;
  most = Infinity;
  #at = 0;

  /** Takes what is known of it at a time; returns by how much it must have changed since, 0 where it need not have. */
  note(least: number, most: number, at: number): number {
    const drift = DRIFT * (at - this.#at);
    const gap = Math.max(least - this.most, this.least - most);
    this.#narrow(least, most, drift);
    this.#at = at;
    return gap > NOISE + drift ? gap : 0;
  }

  /** A slow answer says little, and does not make forgotten what quick ones said; a step does. */
  #narrow(least: number, most: number, drift: number): void {
    const [highest, lowest] = [Math.max(least, this.least - drift), Math.min(most, this.most + drift)];
    const fits = highest <= lowest;
    this.least = fits ? highest : least;
    this.most = fits ? lowest : most;
  }
}

/** Finds out, from the times that come with answers, what time a node has, and that its clock was set: its keys may have ended early. */
export class NodeClock {
  readonly #monotonic = new Distance();
  readonly #wall = new Distance();

  /** By how many ms it is ahead of our monotonic clock, as closely as the quickest answers tell; undefined at first. */
  get ahead(): Bounds | undefined {
    return this.#monotonic.least === -Infinity ? undefined : this.#monotonic;
  }

  /**
   * Takes the node's time, ms, in an answer to what was sent at `sent` and read at `read`; returns by how many ms the clock
   * must have been set at least, 0 where it need not have been. Ours may be set, or stand still while the machine is
   * suspended, so that only what both of our clocks say counts.
   */
  note(time: number, sent: Moment, read: Moment): number {
    const { monotonic } = read;
    return Math.min(
      this.#monotonic.note(time - monotonic, time + 1 - sent.monotonic, monotonic),
      this.#wall.note(time - read.wall, time + 1 - sent.wall, monotonic),
    );
  }
}
