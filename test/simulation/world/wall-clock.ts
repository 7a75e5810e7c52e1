import { LARGEST_STEP } from '../scenario.js';

const EPOCH = 1_700_000_000_000;

/** The wall clock of a machine, which may be set. */
export class WallClock {
  #stepped = 0;
  #strayed = 0;
  #settings = 0;

  constructor(
    /** Ms by which it is wrong from the beginning. */
    private readonly ahead: number,
  ) {}

  /** How often it was set. */
  get settings(): number {
    return this.#settings;
  }

  at(time: number): number {
    return EPOCH + time + this.ahead + this.#stepped + this.#strayed;
  }

  /** It never becomes more wrong by this than the assumptions allow. */
  step(ms: number): void {
    this.#settings += 1;
    if (Math.abs(this.#stepped + ms) <= LARGEST_STEP) this.#stepped += ms;
  }

  /** Far off, or right again by zero: nodes take no tokens from such a clock. */
  stray(ms: number): void {
    this.#settings += 1;
    this.#strayed = ms;
  }
}
