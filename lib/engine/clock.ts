/** A point in time, ms. Only moments of one and the same `Clock` may be compared. */
export interface Moment {
  /** On a clock that never goes back and does not change when the wall clock is changed. It stops while the machine is suspended. */
  readonly monotonic: number;
  /** On the wall clock of the machine, which may be changed at any time. */
  readonly wall: number;
}

/** The clock and the timers of the engine; tests and simulations bring their own. */
export interface Clock {
  now(): Moment;
  /** Calls `task` once after `delay` ms; returns a function that cancels it. */
  schedule(delay: number, task: () => void): () => void;
  /** Calls `task` once the input that has already arrived was read: a late event loop is not a silent node. */
  afterInput(task: () => void): void;
  /** Calls `task` in a separate, later turn of the event loop. */
  nextTurn(task: () => void): void;
  /** Keeps the process alive until the function that it returns is called: while somebody waits, or holds a lock. */
  keepAlive?(): () => void;
}

/** Ms: the longest timer of Node, which fires a longer one at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Returns the ms that have passed for waits, timers and round trips: how often the wall clock was changed does not matter. */
export function elapsed(since: Moment, now: Moment): number {
  return now.monotonic - since.monotonic;
}

/**
 * Returns the ms that have passed for a lease: the greater of what both clocks say. A suspension of the machine stops the monotonic clock, and a
 * wall clock that is moved forward ends a lease early, which is safe. Never use one clock that is the greater of both: it falls back when the wall
 * clock is moved back.
 */
export function ageOfLease(since: Moment, now: Moment): number {
  return Math.max(now.monotonic - since.monotonic, now.wall - since.wall);
}

/** Returns the ms that are subtracted from every lease for clocks that run at different rates (the Redis distributed-locks page). */
export function driftOf(ttl: number, driftFactor: number): number {
  return Math.ceil(ttl * driftFactor) + 2;
}

/** Resolves with `event`, or after `limit` ms at the latest. */
export async function withDeadline(limit: number, event: Promise<void>, clock: Pick<Clock, 'schedule'>): Promise<void> {
  let stopTimer = (): void => undefined;
  const late = new Promise<void>((resolve) => (stopTimer = clock.schedule(limit, resolve)));
  await Promise.race([event, late]);
  stopTimer();
}
