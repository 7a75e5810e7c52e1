/** A point in time, ms. Only moments of one and the same `Clock` may be compared. */
export interface Moment {
  /** On a clock that never goes back, goes on while the machine is suspended, and does not follow a wall clock that is set. */
  readonly monotonic: number;
  /** On the wall clock of the machine, which may be set at any time: for dates, never for lengths of time. */
  readonly wall: number;
}

/** Where the algorithm gets its time from; tests and simulations bring their own. */
export interface Clock {
  now(): Moment;
  /** Calls `task` once after `delay` ms and returns what takes it back. */
  schedule(delay: number, task: () => void): () => void;
  /** Calls `task` once input that has already arrived was read: a late event loop is not a silent node. */
  afterInput(task: () => void): void;
  /** Calls `task` in a turn of the event loop of its own: after everything that was settled by now, and all that this sets off. */
  nextTurn(task: () => void): void;
  /** Calls `task` as soon as all microtasks have run, with what they set off: before any more input is read. */
  afterMicrotasks(task: () => void): void;
  /** Calls `tell` after the machine was suspended, once this clock knows: timers that were set before are late by so much. */
  whenResumed?(tell: () => void): void;
}

/** Ms; Node fires a timer above this at once instead of late. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Ms between two moments of the same clock, however often the wall clock was set between them. */
export function elapsed(since: Moment, now: Moment): number {
  return now.monotonic - since.monotonic;
}
