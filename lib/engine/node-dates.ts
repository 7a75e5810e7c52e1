import type { Moment } from './clock.js';

/** What an answer told about the clock of a node. */
interface Reading {
  /** Microseconds by which the clock of the node is ahead of our monotonic clock. */
  readonly ahead: number;
  /** Ms by which that may be wrong. */
  readonly error: number;
  /** Ms on our monotonic clock. */
  readonly at: number;
}

/** Ms after which a reading gives way to a less exact one, because clocks run at different rates. */
const FRESH = 10_000;

/** Ms by which the wall clocks may seem to differ although none is wrong: they are coarse. */
const READING_ERROR = 3;

/** The time on the clock of the nodes, by which processes date their arrival: the median over the nodes. */
export class NodeDates {
  readonly #readings: (Reading | undefined)[];
  /** The median, as a distance from our monotonic clock; undefined until it is computed. */
  #ahead: number | undefined;

  constructor(nodes: number) {
    this.#readings = Array.from({ length: nodes });
  }

  /** Takes the clock of a node (microseconds) that an answer brought, between two readings of our monotonic clock. */
  note(node: number, micros: number, asked: number, heard: number): void {
    const latest = this.#readings[node];
    const error = (heard - asked) / 2;
    const ahead = micros - (asked + error) * 1_000;
    if (latest !== undefined && error > latest.error && heard - latest.at < FRESH) {
      // A clock that was changed makes the former reading wrong.
      const isContradicted = Math.abs(ahead - latest.ahead) > (error + latest.error + READING_ERROR) * 1_000;
      if (!isContradicted) return;
    }
    this.#readings[node] = { ahead, error, at: heard };
    this.#ahead = undefined;
  }

  /** Forgets the clock of a node that leads to another server. */
  forget(node: number): void {
    this.#readings[node] = undefined;
    this.#ahead = undefined;
  }

  /** Returns by how many whole ms the clock of a node is ahead of our wall clock: 0 if the answers show no difference, undefined before the first one. */
  offsetOf(node: number, now: Moment): number | undefined {
    const reading = this.#readings[node];
    if (reading === undefined) return undefined;
    const offset = reading.ahead / 1_000 - (now.wall - now.monotonic);
    return Math.abs(offset) <= reading.error + READING_ERROR ? 0 : Math.round(offset);
  }

  /** Microseconds. Without any reading it is the wall clock of this process. */
  at(now: Moment): number {
    this.#ahead ??= this.#median();
    return Math.floor(this.#ahead === undefined ? now.wall * 1_000 : this.#ahead + now.monotonic * 1_000);
  }

  #median(): number | undefined {
    const known = this.#readings.filter((reading) => reading !== undefined).map(({ ahead }) => ahead);
    return known.sort((a, b) => a - b)[known.length >> 1];
  }
}
