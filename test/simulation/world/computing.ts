import type { World } from './world.js';

/**
 * How far a process is that computes within a turn of its event loop, as hashing a password does. For the rest of the turn it is ahead
 * of the world: its clocks say so, what it sends in this turn leaves at the end of it, and nothing reaches it before.
 *
 * This leaves out: that it is paused or suspended in addition, that its wall clock is set within the turn, and that one turn comes
 * between what it asks for and what it sends.
 */
export class Computing {
  /** The world's time when it is through with all that it computed so far, and the turn in which it did so last. */
  #until = 0;
  #turn = -1;

  constructor(private readonly world: World) {}

  /** Whether the world is still within the turn in which it computes. */
  get isOn(): boolean {
    return this.world.now < this.#until;
  }

  /** The world's time as this process knows it. */
  get now(): number {
    return this.#turn === this.world.turn ? this.#until : this.world.now;
  }

  /** The world's time when its turn is over. */
  get free(): number {
    return Math.max(this.world.now, this.#until);
  }

  /** Has `through` done when the world has come there. */
  begin(ms: number, through: () => void): void {
    this.#until = this.free + ms;
    this.#turn = this.world.turn;
    this.world.at(this.#until, through);
  }
}
