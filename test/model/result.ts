import type { Choices } from './choices.js';

/** What became of a world. */
export interface Result {
  readonly choices: Choices;
  readonly grants: number;
  /** How many callers were told an answer. */
  readonly told: number;
  /** How many terms of leaders there were. */
  readonly terms: number;
  readonly violations: readonly string[];
}
