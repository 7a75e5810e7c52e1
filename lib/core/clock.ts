/** A point in time on both clocks of this machine, ms. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** Where the algorithm gets its time from; tests and simulations bring their own. */
export interface Clock {
  now(): Moment;
  /** Calls `task` once after `delay` ms and returns what takes it back. */
  schedule(delay: number, task: () => void): () => void;
  /** Calls `task` once input that has already arrived was read: a late event loop is not a silent node. */
  afterInput(task: () => void): void;
}

/** Ms; Node fires a timer above this at once instead of late. */
export const LONGEST_TIMER = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => ({ monotonic: performance.now(), wall: Date.now() }),
  schedule(delay, task) {
    const timer = setTimeout(task, Math.min(delay, LONGEST_TIMER));
    return () => clearTimeout(timer);
  },
  afterInput: (task) => void setImmediate(task),
};

/**
 * Ms between two moments: the larger of both clocks' answers, since the monotonic one stands still while a machine is
 * suspended and the wall clock may be set back.
 */
export function elapsed(since: Moment, now: Moment): number {
  return Math.max(now.monotonic - since.monotonic, now.wall - since.wall);
}
