import type { Moment } from '../core/clock.js';

/** Ms by which clocks may disagree for other reasons than a step. */
const NOISE = 250;
/** The share by which clocks may run at different rates. */
const DRIFT = 0.01;

/** Between which two values the distance of the node's clock from one of ours must lie. */
interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly at: number;
}

/** Finds out, from the times that come with answers, that the clock of a node was set: its keys may have ended early. */
export class NodeClock {
  #monotonic: Bounds | undefined;
  #wall: Bounds | undefined;

  /**
   * Takes the node's time, ms, in an answer to what was sent at `sent` and read at `read`; returns by how many ms the clock
   * must have been set at least, 0 where it need not have been. Ours may be set, or stand still while the machine is
   * suspended, so that only what both of our clocks say counts.
   */
  note(time: number, sent: Moment, read: Moment): number {
    const monotonic = { least: time - read.monotonic, most: time + 1 - sent.monotonic, at: read.monotonic };
    const wall = { least: time - read.wall, most: time + 1 - sent.wall, at: read.monotonic };
    const step = Math.min(stepBetween(this.#monotonic, monotonic), stepBetween(this.#wall, wall));
    this.#monotonic = narrowed(this.#monotonic, monotonic);
    this.#wall = narrowed(this.#wall, wall);
    return step;
  }
}

function stepBetween(before: Bounds | undefined, now: Bounds): number {
  if (before === undefined) return 0;
  const gap = Math.max(now.least - before.most, before.least - now.most);
  return gap > NOISE + driftSince(before, now) ? gap : 0;
}

/** A slow answer says little, and does not make forgotten what quick ones said; a step does. */
function narrowed(before: Bounds | undefined, now: Bounds): Bounds {
  if (before === undefined) return now;
  const drift = driftSince(before, now);
  const [least, most] = [Math.max(now.least, before.least - drift), Math.min(now.most, before.most + drift)];
  return least <= most ? { least, most, at: now.at } : now;
}

function driftSince(before: Bounds, now: Bounds): number {
  return DRIFT * (now.at - before.at);
}
