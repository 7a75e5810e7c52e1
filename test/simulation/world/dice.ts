import { SeededRandom } from '../../support/seeded-random.js';

/** All that is random in a simulation; one seed, one course of events. */
export class Dice extends SeededRandom {
  between(least: number, most: number): number {
    return least + this.fraction() * (most - least);
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  chance(share: number): boolean {
    return this.fraction() < share;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.whole(0, choices.length - 1)]!;
  }

  /** Another dice, so that what one part rolls does not change what another one gets. */
  fork(owner: string): Dice {
    return new Dice(Math.floor(this.fraction() * 2 ** 32), owner);
  }
}
