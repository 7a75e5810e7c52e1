import type { Moment } from '../../lib/core/time/clock.js';
import { NodeClock } from '../../lib/redis/trust/node-clock.js';

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

  /** By how many ms the clock of the node is taken to be wrong; undefined where nothing is known of it. */
  get error(): number | undefined {
    const { ahead } = this.#noted;
    return ahead && Math.abs((ahead.least + ahead.most) / 2 - (this.node - this.monotonic));
  }

  /** Whether the node's time is within what is known of it. */
  get isWithin(): boolean {
    const { least, most } = this.#noted.ahead!;
    const ahead = this.node - this.monotonic;
    return least <= ahead && ahead <= most;
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
