import type { Moment } from '../engine/clock.js';

/** Ms by which two clocks may disagree although neither was set. */
const NOISE = 250;
/** The share by which the rates of two clocks may differ. */
const DRIFT = 0.01;

/** The bounds of the distance between the node's clock and one of ours, ms. */
class Distance {
  least = -Infinity;
  most = Infinity;
  #at = 0;

  /** Takes bounds of the distance at the time `at`; returns by how many ms the distance must have changed since, 0 if it need not have changed. */
  note(least: number, most: number, at: number): number {
    const drift = DRIFT * (at - this.#at);
    const gap = Math.max(least - this.most, this.least - most);
    this.#narrow(least, most, drift);
    this.#at = at;
    return gap > NOISE + drift ? gap : 0;
  }

  /**
   * Combines new bounds with those before. A slow answer has wide bounds, which leave the narrow ones of quick answers as they are; after a
   * step only the new bounds count.
   */
  #narrow(least: number, most: number, drift: number): void {
    const [highest, lowest] = [Math.max(least, this.least - drift), Math.min(most, this.most + drift)];
    const fits = highest <= lowest;
    this.least = fits ? highest : least;
    this.most = fits ? lowest : most;
  }
}

/** Finds out what time a node has, from the times that come with its answers, and whether its clock was set: then keys may have expired early. */
export class NodeClock {
  readonly #monotonic = new Distance();
  readonly #wall = new Distance();

  /**
   * Takes the node's time, ms, from the answer to a command that was sent at `sent`; the answer was read at `read`. Returns by how many ms at
   * least the node's clock must have been set, 0 if it need not have been. Our own clocks may be set, or stand still while the machine is
   * suspended, so that only a step that both of them show counts.
   */
  note(time: number, sent: Moment, read: Moment): number {
    const { monotonic } = read;
    return Math.min(
      this.#monotonic.note(time - monotonic, time + 1 - sent.monotonic, monotonic),
      this.#wall.note(time - read.wall, time + 1 - sent.wall, monotonic),
    );
  }
}
