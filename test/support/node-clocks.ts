import type { Moment } from '../../lib/engine/clock.js';
import { NodeClock } from '../../lib/redis/trust.js';

/** Our clocks and that of a node. */
export class Clocks {
  monotonic = 1_000;
  wall = 1_700_000_000_000;
  node = 1_700_000_123_456.7;
  readonly #noted = new NodeClock();

  get now(): Moment {
    return { monotonic: this.monotonic, wall: this.wall };
  }

  /** Time goes by on all of them, or at other speeds on some. */
  pass(ms: number, { monotonic = ms, wall = ms, node = ms } = {}): void {
    this.monotonic += monotonic;
    this.wall += wall;
    this.node += node;
  }

  /** What is found out by a question that is under way for so many ms, and its answer. */
  ask({ there = 0.3, back = 0.3 } = {}): number {
    const sent = this.now;
    this.pass(there);
    const time = Math.floor(this.node);
    this.pass(back);
    return this.#noted.note(time, sent, this.now);
  }
}
