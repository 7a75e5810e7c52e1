import type { Judge } from '../judge/ledger.js';
import type { Violation } from '../judge/violation.js';
import type { Weakness } from '../faults/weakness.js';

/** A change of one source file: `text` stands in it exactly once. */
interface Patch {
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
}

/** One protection less, which the simulation has to notice. */
export interface Control {
  readonly name: string;
  readonly patches: readonly Patch[];
  readonly weakness?: Weakness;
  readonly judge?: Judge;
  /** What it breaks. */
  readonly breaks: readonly Violation['promise'][];
  /** Seeds within which it is noticed; about ten times as many as it takes. */
  readonly seeds: number;
}
