import type { Moment } from '../../../lib/core/time/clock.js';

/** What a machine is suspended for: its monotonic clock stands still, and nobody looks at any clock, which would count as another suspension. */
export class Suspension {
  #since: number | undefined;
  /** Ms of the machine's time for which it was suspended so far. */
  #total = 0;
  #before: Moment | undefined;
  #isNoticed = true;

  /** What the monotonic clock tells where it is `time` since the machine began. */
  monotonic(time: number): number {
    return (this.#since ?? time) - this.#total;
  }

  get isOn(): boolean {
    return this.#since !== undefined;
  }

  /** Whether the process has looked at a clock since the last one was over. */
  get isNoticed(): boolean {
    return this.#isNoticed;
  }

  begin(time: number, before: Moment): void {
    this.#since = time;
    this.#before = before;
  }

  /** What its process would know if it could look; undefined where it can, and then it notices what is over. */
  now(time: number, wall: () => number): Moment | undefined {
    if (this.#since === undefined || this.#before === undefined) {
      this.#isNoticed = true;
      return undefined;
    }
    return { monotonic: this.#before.monotonic + time - this.#since, wall: wall() };
  }

  end(time: number): void {
    if (this.#since === undefined) return;
    this.#total += time - this.#since;
    this.#since = undefined;
    this.#isNoticed = false;
  }
}
