/** A point in time, ms. Only moments of one and the same `Clock` may be compared. */
export interface Moment {
  /** On a clock that never goes back, goes on while the machine is suspended, and does not change when the wall clock is set. */
  readonly monotonic: number;
  /** On the wall clock of the machine, which may be set at any time: use it for dates, never for durations. */
  readonly wall: number;
}

/** The clock and the timers of the algorithm; tests and simulations bring their own. */
export interface Clock {
  now(): Moment;
  /** Calls `task` once after `delay` ms; returns a function that cancels it. The timer alone does not keep the process alive. */
  schedule(delay: number, task: () => void): () => void;
  /** Calls `task` once the input that has already arrived was read: a late event loop is not a silent node. */
  afterInput(task: () => void): void;
  /** Calls `task` in a separate, later turn of the event loop: after the reactions to all that is settled by now, and what they set off. */
  nextTurn(task: () => void): void;
  /** Calls `notify` once this clock knows that the machine was suspended: timers that were set before are late by the time of the suspension. */
  whenResumed?(notify: () => void): void;
  /** Keeps the process alive until the function that it returns is called: while somebody waits, or holds a lock. */
  keepAlive?(): () => void;
}

/** Ms: the longest timer of Node, which fires a longer one at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Returns the ms between two moments of the same clock, however often the wall clock was set between them. */
export function elapsed(since: Moment, now: Moment): number {
  return now.monotonic - since.monotonic;
}
