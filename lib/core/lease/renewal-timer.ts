import { TimedTask, type TimerQueue } from '../time/timer-queue.js';
import type { Moment } from '../time/clock.js';

/** What is watched over. */
export interface Watched {
  /** Ms left of the lease, at a moment that was just looked up. */
  left(now?: Moment): number;
  /** Called when it is time to extend; not before `watch` is called again. */
  renew(): void;
  /** Called when the lease is over. */
  expire(): void;
}

/** Wakes a lease when it is over, or before that when it is to be extended. */
export class RenewalTimer extends TimedTask {
  #renews = false;

  constructor(
    private readonly timerQueue: TimerQueue,
    private readonly watched: Watched,
  ) {
    super();
  }

  /** Watches from now on, extending in `renewIn` ms where that is before the end. */
  watch(renewIn = Infinity, now?: Moment): void {
    const left = this.watched.left(now);
    this.#renews = renewIn < left;
    this.timerQueue.add(Math.min(renewIn, left), this, now);
  }

  stop(): void {
    this.timerQueue.remove(this);
  }

  /** A timer may be early by less than a ms, and the lease may have been extended meanwhile. */
  due(): void {
    if (this.#renews) this.watched.renew();
    else if (this.watched.left() >= 1) this.watch();
    else this.watched.expire();
  }
}
