import type { Outcome } from './outcome.js';

/** How the value of a call becomes an outcome, and how callers get it: over HTTP, or as a value. */
export interface ReplyWay {
  /** Called when the work begins. */
  begin(): void;
  /** @throws what the call fails with although its work is done */
  outcomeOf(value: unknown): Outcome | Promise<Outcome>;
  /** What is left of a call whose answer has left before its end. */
  early(): Outcome;
  /** Returns what the caller gets whose work has run. */
  own(value: unknown, outcome: Outcome): unknown;
  /** Returns what a duplicate gets. @throws the error of a kept one */
  replay(outcome: Outcome): unknown;
}
