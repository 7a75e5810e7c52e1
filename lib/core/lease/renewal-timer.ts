import { TimedTask, type TimerQueue } from '../time/timer-queue.js';
import type { Moment } from '../time/clock.js';

/** A lease as its timer sees it. */
export interface Watched {
  /** Returns the ms left of the lease; `now` is the current time if the caller has just read the clock. */
  remaining(now?: Moment): number;
  /** Called when it is time to extend the lease; not called again before the next `watch`. */
  renew(): void;
  /** Called when the lease is over. */
  expire(): void;
}

/** Notifies a lease when it is time to extend it, or when it is over. */
export class RenewalTimer extends TimedTask {
  #renews = false;

  constructor(
    private readonly timerQueue: TimerQueue,
    private readonly watched: Watched,
  ) {
    super();
  }

  /** Starts to watch: the lease is extended in `renewIn` ms or, if it ends before that, expires at its end. */
  watch(renewIn = Infinity, now?: Moment): void {
    const remaining = this.watched.remaining(now);
    this.#renews = renewIn < remaining;
    this.timerQueue.add(Math.min(renewIn, remaining), this, now);
  }

  stop(): void {
    this.timerQueue.remove(this);
  }

  /**
   * Extends or ends the lease. Less than 1 ms left counts as over, because a timer may be that early. If more is left, the lease was extended
   * meanwhile, and the timer is set again.
   */
  due(): void {
    if (this.#renews) this.watched.renew();
    else if (this.watched.remaining() >= 1) this.watch();
    else this.watched.expire();
  }
}
